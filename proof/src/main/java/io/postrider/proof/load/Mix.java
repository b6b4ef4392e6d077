package io.postrider.proof.load;

import java.util.List;

/**
 * How hard the load is. Immutable.
 *
 * @param writers sessions that write at once
 * @param transactions how many of them each session runs
 * @param keys how many keys they fight for
 * @param topics the topics they write to
 * @param oneOpenThroughout whether one transaction is open from before the first to after the last
 * @param seed what every choice follows from
 */
public record Mix(int writers, int transactions, int keys, List<String> topics, boolean oneOpenThroughout, long seed) {
    /** 16 writers on three topics, and one transaction that is open throughout. */
    public static Mix of(int transactions, long seed) {
        return new Mix(16, transactions, 12, List.of("orders", "mail", "audit"), true, seed);
    }

    /** The same without the open one: it would hide a mistake that makes everybody wait for it. */
    public Mix withNoneOpenThroughout() {
        return new Mix(writers, transactions, keys, topics, false, seed);
    }
}
