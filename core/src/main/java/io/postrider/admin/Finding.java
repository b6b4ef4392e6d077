package io.postrider.admin;

/**
 * The result of a check of the {@link Doctor}.
 *
 * @param text what the check found
 * @param advice how to fix it; empty if nothing needs fixing
 */
public record Finding(Level level, String text, String advice) {
    /** How severe it is. */
    public enum Level {
        /** Nothing is wrong. */
        OK,
        /** Something needs attention. */
        WARN,
        /** Something does not work. */
        FAIL
    }

    /** Nothing is wrong. */
    public static Finding ok(String text) {
        return new Finding(Level.OK, text, "");
    }

    /** Something needs attention. */
    public static Finding warn(String text, String advice) {
        return new Finding(Level.WARN, text, advice);
    }

    /** Something does not work. */
    public static Finding fail(String text, String advice) {
        return new Finding(Level.FAIL, text, advice);
    }
}
