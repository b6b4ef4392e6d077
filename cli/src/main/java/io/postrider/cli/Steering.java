package io.postrider.cli;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.text.Nearest;
import io.postrider.db.Database;
import io.postrider.listen.Listeners;
import java.util.List;
import java.util.function.BiConsumer;

/** What pause and resume have in common. */
final class Steering {
    private Steering() {}

    /** Does something to listeners that are all there: one wrong name, and nothing is done. */
    static int steer(DatabaseOptions database, List<String> names, BiConsumer<Postrider, String> verb) {
        names.forEach(Names::listener);
        database.requireUsable(new Database(database.dataSource(), database.schema()));
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            List<String> known =
                    postrider.listeners().stream().map(Listeners.Status::name).toList();
            names.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
                throw new PostriderException(Kind.NOT_FOUND, "no listener " + name + Nearest.hint(name, known));
            });
            names.forEach(name -> verb.accept(postrider, name));
            return Exit.OK;
        }
    }
}
