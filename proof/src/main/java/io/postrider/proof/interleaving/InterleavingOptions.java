package io.postrider.proof.interleaving;

import java.time.Duration;

/**
 * How an {@link Interleaving} distinguishes blocked from slow steps, and how it cleans up after a failure. Immutable.
 *
 * @param blocked checks whether a step waits for another session
 * @param firstAsk how long a step may take before the first check; the interval then doubles up to 20 ms
 * @param patience the timeout after which a schedule without progress counts as stuck
 * @param rollback after a failure, run by each session that is not in a step
 * @param cancel after a failure, run by another thread for a session that is in a step, which is interrupted as well
 */
public record InterleavingOptions<R>(
        BlockedProbe<R> blocked, Duration firstAsk, Duration patience, Step<R> rollback, Step<R> cancel) {

    /** The probe, and defaults: first check after 500 µs, timeout of 10 s, nothing to clean up. */
    public static <R> InterleavingOptions<R> blockedWhen(BlockedProbe<R> probe) {
        return new InterleavingOptions<>(probe, Duration.ofNanos(500_000), Duration.ofSeconds(10), r -> {}, r -> {});
    }

    public InterleavingOptions<R> withFirstAsk(Duration after) {
        return new InterleavingOptions<>(blocked, after, patience, rollback, cancel);
    }

    /** Keep it above {@code deadlock_timeout}, so that the server breaks a deadlock before the schedule counts as stuck. */
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
