package io.postrider.listen;

/** What became of a run of events: a value, so that every way it can end is written where it is decided. */
sealed interface Fate {
    /** All were handled, and the ledger says so. */
    record Delivered() implements Fate {}

    /** The event at an index failed; those before it were handled. -1: somewhere in the batch, nobody knows where. */
    record Failed(int index, Throwable error) implements Fate {}

    /** The ledger had moved: another worker owns the listener. Whatever was done in the transaction is rolled back. */
    record Lost() implements Fate {}
}
