package io.postrider.bench.load;

import java.util.Map;

/** Looks up a side that must exist. */
public final class Sides {
    private Sides() {}

    public static <T> T of(Map<String, T> all, String name) {
        T one = all.get(name);
        if (one == null) {
            throw new IllegalStateException("no side " + name);
        }
        return one;
    }
}
