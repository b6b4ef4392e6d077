package io.postrider.proof.interleaving;

import org.jspecify.annotations.Nullable;

/** A schedule did not complete: a step failed, or there was no progress. The message contains everything needed to repeat it. */
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

    /** What had happened, in the format of {@link Trace}. */
    public String trace() {
        return trace;
    }
}
