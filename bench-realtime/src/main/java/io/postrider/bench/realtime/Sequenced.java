package io.postrider.bench.realtime;

import org.HdrHistogram.Histogram;

/**
 * The share of the time up to the position, for the messages of one turn.
 *
 * @param commit the median of commit() itself, in milliseconds: before the clock starts
 * @param p50 from the return of commit() to the moment when the gateway's node knows the position, in milliseconds; like p99
 * @param pass the median of the sequencer's passes, in milliseconds
 * @param passes the number of passes
 * @param woken how many of them were caused by a producer's notification: none while the sequencer is awake and polls by itself
 */
record Sequenced(double commit, double p50, double p99, double pass, long passes, long woken) {
    /** For the bare variant, which has none of this. */
    static final Sequenced NOT = new Sequenced(0, 0, 0, 0, 0, 0);

    /** @param moves alternating: a position, and when the head was there */
    static Sequenced of(long before, long[] sent, double commit, String[] passes, String[] moves) {
        Histogram took = new Histogram(1, 600_000_000_000L, 3);
        int move = 0;
        for (int i = 0; i < sent.length; i++) {
            while (Long.parseLong(moves[move]) < before + 1 + i) {
                move += 2;
            }
            took.recordValue(Math.max(1, Long.parseLong(moves[move + 1]) - sent[i]));
        }
        return new Sequenced(
                commit,
                took.getValueAtPercentile(50) / 1e6,
                took.getValueAtPercentile(99) / 1e6,
                Double.parseDouble(passes[0]),
                Long.parseLong(passes[1]),
                Long.parseLong(passes[2]));
    }

    String text() {
        return passes + " passes in the last round, " + woken + " wake-ups by a producer";
    }
}
