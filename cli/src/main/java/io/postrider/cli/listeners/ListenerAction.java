package io.postrider.cli.listeners;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Listeners;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.text.Names;
import io.postrider.support.Suggestion;
import java.util.List;
import java.util.function.BiConsumer;

/** Applies an action to several listeners; shared by pause and resume. */
final class ListenerAction {
    private ListenerAction() {}

    /** Applies it to each listener. If one of the names is unknown, no listener is changed. */
    static int steer(DatabaseOptions database, List<String> names, BiConsumer<Postrider, String> verb) {
        names.forEach(Names::listener);
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            List<String> known = postrider.listeners().list().stream()
                    .map(Listeners.Status::name)
                    .toList();
            names.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
                throw new PostriderException(Kind.NOT_FOUND, "no listener " + name + Suggestion.hint(name, known));
            });
            names.forEach(name -> verb.accept(postrider, name));
            return ExitCode.OK;
        }
    }
}
