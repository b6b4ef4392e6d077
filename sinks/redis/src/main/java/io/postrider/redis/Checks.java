package io.postrider.redis;

import io.postrider.PostriderException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The checks of option values: each error names the option, the bounds and the value. */
final class Checks {
    private static final int LONGEST_NAME = 512;

    private Checks() {}

    static int outside(String option, int value, int low, int high) {
        if (value < low || value > high) {
            throw PostriderException.refused(option + " must be " + low + ".." + high + ", was " + value);
        }
        return value;
    }

    static Duration outside(String option, Duration value, Duration low, Duration high) {
        if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
            throw PostriderException.refused(option + " must be " + low.toMillis() + ".." + high.toMillis()
                    + " ms, was " + value.toMillis() + " ms");
        }
        return value;
    }

    static <T> T missing(String option, @Nullable T value) {
        if (value == null) {
            throw PostriderException.refused(option + " must be given, was null");
        }
        return value;
    }

    /**
     * Redis accepts any bytes, but white space and control characters in a name are a mistake and would inject lines into a log.
     */
    static String unlessName(String option, @Nullable String value) {
        String name = missing(option, value);
        boolean odd = name.chars().anyMatch(c -> c <= ' ' || c == 0x7F);
        if (name.isEmpty() || name.length() > LONGEST_NAME || odd) {
            throw PostriderException.refused(option + " must have 1.." + LONGEST_NAME
                    + " characters, without white space and control characters");
        }
        return name;
    }
}
