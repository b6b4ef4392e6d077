package io.postrider;

import java.time.Duration;
import java.util.regex.Pattern;

/** The checks that options make on their values: each names the option, the bounds and the value. */
final class Refuse {
    /** Letters of one alphabet and few signs, so that a name is the same in SQL, a URL, a metric's label and a file name. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]*");

    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]*");

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

    static String unlessName(String option, String value) {
        return unless(option, value, NAME, 100);
    }

    static String unlessType(String option, String value) {
        return unless(option, value, TYPE, 200);
    }

    private static String unless(String option, String value, Pattern pattern, int longest) {
        if (value.length() > longest || !pattern.matcher(value).matches()) {
            throw PostriderException.refused(option + " must match " + pattern + " and have at most " + longest
                    + " characters, was '" + shortened(value) + "'");
        }
        return value;
    }

    /** Control characters are replaced: what a stranger sent must not write lines of its own into a log. */
    static String shortened(String value) {
        String clean = value.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 120 ? clean : clean.substring(0, 117) + "...";
    }
}
