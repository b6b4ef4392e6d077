package io.postrider.server.http;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How much the client of one WebSocket may send: frames of every kind, and bytes. Used by one thread at a time.
 */
final class FrameBudget {
    /** The limits: what may come at once, and per second afterwards. */
    record Limits(int framesAtOnce, int framesPerSecond, int bytesAtOnce, int bytesPerSecond) {
        /**
         * For clients that send a hello, a new token every few minutes and perhaps pings: a hello may come in small fragments, and
         * two messages of 16,384 characters with four bytes each, the most that the gateway reads, at once.
         */
        static final Limits STREAMS = new Limits(100, 2, 128 * 1024, 16 * 1024);

        /** For clients that also send messages to the application: twice what the gateway lets through, of 1 KiB on average. */
        static final Limits MESSAGES = new Limits(600, 60, 1 << 20, 128 * 1024);
    }

    private final LongSupplier framesSoFar;
    private final LongSupplier nanos;
    private final Bucket frames;
    private final Bucket bytes;
    private long counted;
    private long last;

    /**
     * A full budget.
     *
     * @param framesSoFar the number of frames that were received since the connection began
     * @param nanos the time, as of {@link System#nanoTime}
     */
    FrameBudget(Limits limits, LongSupplier framesSoFar, LongSupplier nanos) {
        this.frames = new Bucket(limits.framesAtOnce(), limits.framesPerSecond());
        this.bytes = new Bucket(limits.bytesAtOnce(), limits.bytesPerSecond());
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
