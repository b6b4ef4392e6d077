package io.postrider.internal.sequence;

/**
 * The number of events per second, averaged over about the last 100 ms. A single pass cannot tell: at 100 events per second every
 * fourth event comes within 3 ms of the one before, which amounts to 300 per second and more.
 */
final class EventRate {
    private static final double MEMORY_NANOS = 50e6;

    private double perSecond;
    private long at = System.nanoTime();

    /** This many events have arrived since the last call. */
    void add(long events) {
        long now = System.nanoTime();
        double nanos = Math.max(1, now - at);
        at = now;
        double kept = Math.exp(-nanos / MEMORY_NANOS);
        perSecond = kept * perSecond + (1 - kept) * (events / nanos * 1e9);
    }

    double perSecond() {
        return perSecond;
    }
}
