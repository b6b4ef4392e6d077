package io.postrider.bench.realtime;

import org.HdrHistogram.Histogram;

/**
 * The latency of messages to clients, in milliseconds.
 *
 * @param p50 of all deliveries, like p99 and max
 * @param first to the first client of each message, the median
 * @param spread from the first client to the last of each message, the median: the fan-out, and reading it
 */
record Arrival(double p50, double p99, double max, double first, double spread) {
    private static final double NANOS = 1e6;

    /**
     * Joins the records of two processes that share one clock.
     *
     * @param times by message, and for each by client
     */
    static Arrival of(long[] sent, long[][] times) {
        Histogram all = new Histogram(1, 600_000_000_000L, 3);
        Histogram firsts = new Histogram(1, 600_000_000_000L, 3);
        Histogram spreads = new Histogram(1, 600_000_000_000L, 3);
        for (int message = 0; message < sent.length; message++) {
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            for (long time : times[message]) {
                long nanos = Math.max(1, time - sent[message]);
                all.recordValue(nanos);
                first = Math.min(first, nanos);
                last = Math.max(last, nanos);
            }
            firsts.recordValue(first);
            spreads.recordValue(Math.max(1, last - first));
        }
        return new Arrival(
                all.getValueAtPercentile(50) / NANOS,
                all.getValueAtPercentile(99) / NANOS,
                all.getMaxValue() / NANOS,
                firsts.getValueAtPercentile(50) / NANOS,
                spreads.getValueAtPercentile(50) / NANOS);
    }

    String text() {
        return p50 + " " + p99 + " " + max + " " + first + " " + spread;
    }

    static Arrival parse(String text) {
        String[] parts = text.split(" ", -1);
        double[] numbers = new double[parts.length];
        for (int i = 0; i < parts.length; i++) {
            numbers[i] = Double.parseDouble(parts[i]);
        }
        return new Arrival(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    }
}
