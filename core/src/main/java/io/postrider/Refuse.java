package io.postrider;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validates values of options and fields. Each error names the option, its limits and the value. */
final class Refuse {
    /** ASCII letters, digits and a few signs, so that a name is the same in SQL, a URL, a metric label and a file name. */
    private static final String NAME_SIGNS = "._:-";

    private static final String TYPE_SIGNS = "._:/-";

    private static final Pattern SCHEMA = Pattern.compile("[a-z][a-z0-9_]{0,40}");

    /** So that the conversion to milliseconds cannot overflow. */
    private static final Duration LONGEST_TEXT = Duration.ofDays(1_000_000);

    private Refuse() {}

    static int outside(String option, int value, int low, int high) {
        if (value < low || value > high) {
            throw PostriderException.refused(option + " must be " + low + ".." + high + ", was " + value);
        }
        return value;
    }

    static Duration outside(String option, Duration value, Duration low, Duration high) {
        if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
            throw PostriderException.refused(
                    option + " must be " + text(low) + ".." + text(high) + ", was " + text(value));
        }
        return value;
    }

    /** As people write it, such as 500ms or 30s, in the largest unit without a fraction. */
    private static String text(Duration value) {
        if (value.isZero() || value.getNano() % 1_000_000 != 0 || value.abs().compareTo(LONGEST_TEXT) > 0) {
            return value.isZero() ? "0s" : value.toString();
        }
        if (value.getNano() != 0) {
            return value.toMillis() + "ms";
        }
        long seconds = value.toSeconds();
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
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

    /** May be longer than a topic, because the listener that records a topic is called {@code event_log:{topic}}. */
    static String unlessListener(String option, String value) {
        return unless(option, value, NAME_SIGNS, 120);
    }

    /** Without a colon, which separates the queue from its lane. */
    static String unlessQueue(String option, String value) {
        return unless(option, value, "._-", 80);
    }

    /** The same rule as {@code internal.db.SchemaName}: a name that needs no quotes and leaves room for suffixes. */
    static String unlessSchema(String value) {
        if (!SCHEMA.matcher(value).matches() || value.startsWith("pg_")) {
            throw PostriderException.refused("schema must match " + SCHEMA.pattern() + " and not begin with pg_, was '"
                    + shortened(value) + "'");
        }
        return value;
    }

    static String unlessType(String option, String value) {
        return unless(option, value, TYPE_SIGNS, 200);
    }

    /** Two codes are Postrider's own: a dead letter with one of them may have no content. */
    static String unlessErrorCode(String value) {
        String code = unlessName("error code", missing("error code", value));
        if (code.equals("unreadable") || code.equals("unwritable")) {
            throw PostriderException.refused("error code '" + code + "' is reserved for jobs that Postrider itself"
                    + " cannot read or settle; choose another");
        }
        return code;
    }

    /** What the schema accepts as a project or user: any text of up to 1,024 bytes. */
    static String unlessReference(String option, String value) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > 1024 || value.indexOf('\0') >= 0) {
            throw PostriderException.refused(
                    option + " must have 1..1024 bytes and no NUL, was '" + shortened(value) + "'");
        }
        return value;
    }

    private static String unless(String option, String value, String signs, int longest) {
        if (value.length() > longest || !isName(value, signs)) {
            throw PostriderException.refused(option + " must match [A-Za-z0-9][A-Za-z0-9" + signs
                    + "]* and have at most " + longest + " characters, was '" + shortened(value) + "'");
        }
        return value;
    }

    /**
     * Without a regex: this runs whenever an event is created or changed, and a regex costs as much as everything else together.
     */
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

    /** Replaces control characters, so that a value from outside cannot write its own lines into a log. */
    static String shortened(String value) {
        String clean = value.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 120 ? clean : clean.substring(0, 117) + "...";
    }
}
