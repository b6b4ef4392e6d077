package io.postrider;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The checks that options make on their values: each names the option, the bounds and the value. */
final class Refuse {
    /** Letters of one alphabet and few signs, so that a name is the same in SQL, a URL, a metric's label and a file name. */
    private static final String NAME_SIGNS = "._:-";

    private static final String TYPE_SIGNS = "._:/-";

    private Refuse() {}

    static int outside(String option, int value, int low, int high) {
        if (value < low || value > high) {
            throw PostriderException.refused(option + " must be " + low + ".." + high + ", was " + value);
        }
        return value;
    }

    static Duration outside(String option, Duration value, Duration low, Duration high) {
        if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
            throw PostriderException.refused(option + " must be " + low + ".." + high + ", was " + value);
        }
        return value;
    }

    static <T> T missing(String option, @Nullable T value) {
        if (value == null) {
            throw PostriderException.refused(option + " must be given, was null");
        }
        return value;
    }

    static String unlessName(String option, String value) {
        return unless(option, value, NAME_SIGNS, 100);
    }

    /** Longer than a topic's: the listener that records one is called {@code event_log:{topic}}. */
    static String unlessListener(String option, String value) {
        return unless(option, value, NAME_SIGNS, 120);
    }

    /** Without a colon: behind it stands the lane. */
    static String unlessQueue(String option, String value) {
        return unless(option, value, "._-", 80);
    }

    static String unlessType(String option, String value) {
        return unless(option, value, TYPE_SIGNS, 200);
    }

    private static String unless(String option, String value, String signs, int longest) {
        if (value.length() > longest || !isName(value, signs)) {
            throw PostriderException.refused(option + " must match [A-Za-z0-9][A-Za-z0-9" + signs
                    + "]* and have at most " + longest + " characters, was '" + shortened(value) + "'");
        }
        return value;
    }

    /** By hand: an event passes here each time it is made or changed, and a regex costs as much as all else. */
    private static boolean isName(String value, String signs) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!plain && (i == 0 || signs.indexOf(c) < 0)) {
                return false;
            }
        }
        return !value.isEmpty();
    }

    /** Control characters are replaced: what a stranger sent must not write lines of its own into a log. */
    static String shortened(String value) {
        String clean = value.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 120 ? clean : clean.substring(0, 117) + "...";
    }
}
