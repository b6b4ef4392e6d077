package io.postrider.cli.text;

import io.postrider.Event;
import io.postrider.Listener;

/** Refuses names that cannot exist. The library's own types decide, so that there is one rule and one message. */
public final class Names {
    private Names() {}

    public static String topic(String name) {
        return Event.of(name, "any", "{}").topic();
    }

    public static String listener(String name) {
        return Listener.relay(name, "any", event -> {}).name();
    }
}
