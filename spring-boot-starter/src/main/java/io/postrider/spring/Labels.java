package io.postrider.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the values of one metric label: producers choose topics and types freely, and each new value is a new time series for
 * ever. The first values up to the limit are kept; all later ones become {@code other}.
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
