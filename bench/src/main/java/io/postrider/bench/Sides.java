package io.postrider.bench;

import java.util.Map;

/** Looks up what must be there. */
final class Sides {
    private Sides() {}

    static <T> T of(Map<String, T> all, String name) {
        T one = all.get(name);
        if (one == null) {
            throw new IllegalStateException("no side " + name);
        }
        return one;
    }
}
