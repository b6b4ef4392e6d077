package io.postrider.doctor;

/** What a check found: how bad it is, what it is, and what to do about it (empty if nothing). */
public record Finding(Level level, String text, String advice) {
    /** How bad it is. */
    public enum Level {
        OK,
        WARN,
        FAIL
    }

    static Finding ok(String text) {
        return new Finding(Level.OK, text, "");
    }

    static Finding warn(String text, String advice) {
        return new Finding(Level.WARN, text, advice);
    }

    static Finding fail(String text, String advice) {
        return new Finding(Level.FAIL, text, advice);
    }
}
