package io.postrider.internal.claim;

/**
 * The right of a worker to a range of positions of one lane.
 *
 * @param n its number in the table {@code claim}
 * @param topic the lane
 */
public record Claim(long n, String topic, long from, long to) {
    public long size() {
        return to - from + 1;
    }
}
