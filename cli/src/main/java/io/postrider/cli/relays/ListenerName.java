package io.postrider.cli.relays;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Listeners;
import io.postrider.cli.text.Names;
import io.postrider.support.Suggestion;
import java.util.List;

/** Checks the name of a relay or of any other listener, with a suggestion for a misspelt one. */
final class ListenerName {
    private ListenerName() {}

    static void require(Postrider postrider, String name) {
        Names.listener(name);
        List<String> known = postrider.listeners().list().stream()
                .map(Listeners.Status::name)
                .toList();
        if (!known.contains(name)) {
            throw new PostriderException(Kind.NOT_FOUND, "no listener " + name + Suggestion.hint(name, known));
        }
    }
}
