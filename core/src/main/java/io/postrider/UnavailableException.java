package io.postrider;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by the handler of a relay or of a job: a system that it depends on is unavailable, and no event or job is to blame. No
 * attempt is counted. A relay waits and then continues with the same event; a job has the fate {@link Fate#unavailable}. In a
 * transactional listener it is a failure like any other exception.
 */
public final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    /**
     * Creates an exception.
     *
     * @param retryAfter the shortest wait, 0..36,500 days. A relay waits at least its own backoff, 100 ms to 10 s, and at most 1 h
     * @param reason is shown with the listener or the job meanwhile
     */
    public UnavailableException(Duration retryAfter, String reason) {
        this(retryAfter, reason, null);
    }

    /** The same with a cause. */
    public UnavailableException(Duration retryAfter, String reason, @Nullable Throwable cause) {
        super(Refuse.missing("reason", reason), cause);
        this.retryAfter = Refuse.outside(
                "retry after", Refuse.missing("retry after", retryAfter), Duration.ZERO, Duration.ofDays(36_500));
    }

    /** The shortest wait before the next try. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
