package io.postrider.sequence;

/**
 * How many events come in a second, by the last tenth of one or so. A single pass cannot tell: at 100 events a second every
 * fourth comes within 3 ms of the one before, and looks like 300 and more.
 */
final class Rate {
    private static final double MEMORY_NANOS = 50e6;

    private double perSecond;
    private long at = System.nanoTime();

    /** So many have come since the last call. */
    void came(long events) {
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
