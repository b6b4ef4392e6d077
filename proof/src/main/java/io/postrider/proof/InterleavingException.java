package io.postrider.proof;

import org.jspecify.annotations.Nullable;

/** A schedule did not run to its end: a step failed, or nothing moved any more. The message has all to run it again. */
public final class InterleavingException extends RuntimeException {
    private final transient Schedule schedule;
    private final String trace;

    InterleavingException(String what, Schedule schedule, String trace, @Nullable Throwable cause) {
        super(what + "\n  schedule " + schedule + "\n  so far   " + trace, cause);
        this.schedule = schedule;
        this.trace = trace;
    }

    /** The schedule that was run. */
    public Schedule schedule() {
        return schedule;
    }

    /** What had happened, as {@link Trace} writes it. */
    public String trace() {
        return trace;
    }
}
