package io.postrider.livechat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits how fast a guest may write: a token bucket for each. All guests share one queue, so the messages of one guest delay those
 * of the others. Thread-safe.
 */
final class MessageRate {
    /** The auto-pilot writes 20 a second. */
    static final int PER_SECOND = 25;

    /** What the auto-pilot writes in 10 s, while the server or the network is away. */
    static final int BURST = 200;

    private static final int MOST_KNOWN = 10_000;
    private static final double NANOS = 1e9;

    private final LongSupplier nanoTime;

    /** Guarded by this. The least recently used bucket is removed first: it is full again, or there are very many guests. */
    private final Map<Guest, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Guest, Bucket> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /** Messages that a guest may write at a time. */
    private record Bucket(double left, long at) {
        Bucket refilled(long now) {
            return new Bucket(Math.min(BURST, left + (now - at) / NANOS * PER_SECOND), now);
        }
    }

    MessageRate(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Takes all or none; refused with 429 if the guest has written too fast. */
    synchronized void take(Guest guest, int messages) {
        long now = nanoTime.getAsLong();
        Bucket bucket = buckets.getOrDefault(guest, new Bucket(BURST, now)).refilled(now);
        if (bucket.left() < messages) {
            throw Refusal.tooMany(
                    "You have written more than " + PER_SECOND + " messages a second; send these again in a moment.",
                    (long) Math.ceil((messages - bucket.left()) / PER_SECOND));
        }
        buckets.put(guest, new Bucket(bucket.left() - messages, now));
    }
}
