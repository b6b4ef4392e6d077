package io.postrider.proof;

/**
 * How a transaction ended.
 *
 * @param outcome committed, aborted or unknown
 * @param number its place among the commits in the WAL, from 1; 0 if not known
 * @param began when COMMIT was about to be sent, on the recorder's clock; 0 if not known
 */
public record Commit(Outcome outcome, long number, long began) {
    Commit numbered(long inWal) {
        return new Commit(Outcome.COMMITTED, inWal, began);
    }

    Commit proved(Outcome truth) {
        return new Commit(truth, number, began);
    }
}
