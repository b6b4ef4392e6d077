package io.postrider.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds the values of one metric label: topics and types are text of whoever emits, and each new value is a new series for
 * ever. The first so many are kept, all later ones are {@code other}.
 */
final class Labels {
    static final String OTHER = "other";

    private final int most;
    private final Map<String, String> seen = new ConcurrentHashMap<>();

    Labels(int most) {
        this.most = most;
    }

    String of(String value) {
        String known = seen.get(value);
        if (known != null) {
            return known;
        }
        if (seen.size() >= most) {
            return OTHER;
        }
        seen.putIfAbsent(value, value);
        return value;
    }
}
