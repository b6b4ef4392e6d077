package io.postrider.server.http;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How much the client of one WebSocket may send: frames of every kind, and bytes. A client of the gateway sends a hello, a new token
 * every few minutes and perhaps pings, so both limits are far above what it needs. Used by one thread at a time.
 */
final class FrameBudget {
    /** A hello may come in small fragments. */
    private static final int FRAMES_AT_ONCE = 100;

    private static final int FRAMES_PER_SECOND = 2;

    /** Two messages of 16,384 characters with four bytes each, the most that the gateway reads. */
    private static final int BYTES_AT_ONCE = 128 * 1024;

    private static final int BYTES_PER_SECOND = 16 * 1024;

    private final LongSupplier framesSoFar;
    private final LongSupplier nanos;
    private final Bucket frames = new Bucket(FRAMES_AT_ONCE, FRAMES_PER_SECOND);
    private final Bucket bytes = new Bucket(BYTES_AT_ONCE, BYTES_PER_SECOND);
    private long counted;
    private long last;

    /**
     * A full budget.
     *
     * @param framesSoFar the number of frames that were received since the connection began
     * @param nanos the time, as of {@link System#nanoTime}
     */
    FrameBudget(LongSupplier framesSoFar, LongSupplier nanos) {
        this.framesSoFar = framesSoFar;
        this.nanos = nanos;
        this.last = nanos.getAsLong();
    }

    /** Counts these bytes and the frames since the last call; false if there were too many. */
    boolean take(int read) {
        long now = nanos.getAsLong();
        double seconds = (now - last) / (double) TimeUnit.SECONDS.toNanos(1);
        last = now;
        long received = framesSoFar.getAsLong();
        long more = received - counted;
        counted = received;
        boolean fewFrames = frames.take(more, seconds);
        return bytes.take(read, seconds) && fewFrames;
    }

    private static final class Bucket {
        private final int most;
        private final int perSecond;
        private double left;

        Bucket(int most, int perSecond) {
            this.most = most;
            this.perSecond = perSecond;
            this.left = most;
        }

        boolean take(long amount, double seconds) {
            left = Math.min(most, left + seconds * perSecond) - amount;
            return left >= 0;
        }
    }
}
