package io.postrider.proof.load;

import java.util.List;

/**
 * The intensity of the load. Immutable.
 *
 * @param writers the number of concurrent sessions
 * @param transactions the number of transactions per session
 * @param keys the number of keys they contend for
 * @param topics the topics they write to
 * @param oneOpenThroughout whether one transaction is open from before the first to after the last
 * @param seed determines every random choice
 */
public record Mix(int writers, int transactions, int keys, List<String> topics, boolean oneOpenThroughout, long seed) {
    /** 16 writers on three topics, and one transaction that is open throughout. */
    public static Mix of(int transactions, long seed) {
        return new Mix(16, transactions, 12, List.of("orders", "mail", "audit"), true, seed);
    }

    /** The same without the open transaction, which would hide a bug that makes everybody wait for it. */
    public Mix withNoneOpenThroughout() {
        return new Mix(writers, transactions, keys, topics, false, seed);
    }
}
