package io.postrider.internal.work;

import java.time.Duration;

/** How long the jobs of a queue take here, and so how many may be claimed ahead. Safe to share. */
final class Pace {
    /** How much work is claimed ahead: a crash repeats little, and no job waits here for long while other nodes are idle. */
    private static final Duration AHEAD = Duration.ofMillis(50);

    private static final int MOST_PER_SLOT = 64;

    /** Jobs that take microseconds are not worth a thread each: a thread gets about this much work. */
    private static final int NANOS_PER_RUNNER = 500_000;

    private volatile double nanos = AHEAD.toNanos();

    /** A job took this long. A lost update does no harm: this is an average. */
    void took(long one) {
        nanos += (one - nanos) / 32;
    }

    /** How many threads are worth starting for this many jobs. */
    int runners(int jobs) {
        return (int) Math.min(jobs, 1 + jobs * nanos / NANOS_PER_RUNNER);
    }

    /** How many jobs this many slots may hold. */
    int capacity(int slots) {
        double each = AHEAD.toNanos() / Math.max(nanos, 1_000);
        return (int) (slots * Math.max(1, Math.min(MOST_PER_SLOT, each)));
    }
}
