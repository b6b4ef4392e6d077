package io.postrider.proof;

import java.time.Duration;

/**
 * How an {@link Interleaving} tells blocked from slow, and how it cleans up after a failure. Immutable.
 *
 * @param blocked tells whether a step waits for another session
 * @param firstAsk how long a step may take before the probe is asked for the first time; it is asked again after twice
 *     as long, and so on up to 20 ms
 * @param patience how long to wait for anything to happen before the schedule counts as stuck
 * @param rollback after a failure, done by each session that is not in the middle of a step
 * @param cancel after a failure, done to a session that is: by another thread, besides interrupting it
 */
public record InterleavingOptions<R>(
        BlockedProbe<R> blocked, Duration firstAsk, Duration patience, Step<R> rollback, Step<R> cancel) {

    /** The probe, and defaults: first asked after 500 µs, patience of 10 s, nothing to clean up. */
    public static <R> InterleavingOptions<R> blockedWhen(BlockedProbe<R> probe) {
        return new InterleavingOptions<>(probe, Duration.ofNanos(500_000), Duration.ofSeconds(10), r -> {}, r -> {});
    }

    public InterleavingOptions<R> withFirstAsk(Duration after) {
        return new InterleavingOptions<>(blocked, after, patience, rollback, cancel);
    }

    /** Keep it above {@code deadlock_timeout}, for the server to break a deadlock before it is called stuck. */
    public InterleavingOptions<R> withPatience(Duration limit) {
        return new InterleavingOptions<>(blocked, firstAsk, limit, rollback, cancel);
    }

    public InterleavingOptions<R> withRollback(Step<R> step) {
        return new InterleavingOptions<>(blocked, firstAsk, patience, step, cancel);
    }

    public InterleavingOptions<R> withCancel(Step<R> step) {
        return new InterleavingOptions<>(blocked, firstAsk, patience, rollback, step);
    }
}
