package io.postrider.proof.history;

/**
 * How a transaction ended.
 *
 * @param outcome committed, aborted or unknown
 * @param number its place among the commits in the WAL, from 1; 0 if unknown
 * @param began when COMMIT was about to be sent, on the recorder's clock; 0 if unknown
 */
public record Commit(Outcome outcome, long number, long began) {
    public Commit numbered(long inWal) {
        return new Commit(Outcome.COMMITTED, inWal, began);
    }

    public Commit proved(Outcome truth) {
        return new Commit(truth, number, began);
    }
}
