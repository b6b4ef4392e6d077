package io.postrider.cli;

import io.postrider.Event;
import io.postrider.Listener;

/** Refuses names that cannot exist. The library's own types decide, so that there is one rule and one message. */
final class Names {
    private Names() {}

    static String topic(String name) {
        return Event.of(name, "any", "{}").topic();
    }

    static String listener(String name) {
        return Listener.relay(name, "any", event -> {}).name();
    }
}
