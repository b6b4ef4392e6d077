package io.postrider.livechat;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits how many messages of all guests wait to be saved, because a new message waits behind all of them. The number is read from
 * time to time; messages that were accepted since then are added to it. Thread-safe.
 */
final class Backlog {
    /** More than the 600 messages of an auto-pilot whose worker is down; a worker on a slow machine saves 40 a second. */
    static final int MOST = 1_000;

    private static final long MEASURE_EVERY = Duration.ofMillis(500).toNanos();

    private final LongSupplier waiting;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private long count;
    private long measuredAt;

    /** @param waiting reads how many messages wait */
    Backlog(LongSupplier waiting, LongSupplier nanoTime) {
        this.waiting = waiting;
        this.nanoTime = nanoTime;
        this.measuredAt = nanoTime.getAsLong() - MEASURE_EVERY;
    }

    /** Makes room for these messages; refused with 503 if too many wait. */
    void add(int messages) {
        if (isMeasureDue()) {
            long measured = waiting.getAsLong();
            synchronized (this) {
                count = measured;
            }
        }
        synchronized (this) {
            if (count + messages > MOST) {
                throw Refusal.full(MOST);
            }
            count += messages;
        }
    }

    /** Due for one caller; the others go on with what is known. */
    private synchronized boolean isMeasureDue() {
        long now = nanoTime.getAsLong();
        boolean due = now - measuredAt >= MEASURE_EVERY;
        if (due) {
            measuredAt = now;
        }
        return due;
    }
}
