package io.postrider.work;

/**
 * A claimed range of positions, as this node knows it: how many of them are not settled yet.
 *
 * @param n its number in the ledger
 */
record Claim(long n, String topic, long from, long to) {
    long size() {
        return to - from + 1;
    }
}
