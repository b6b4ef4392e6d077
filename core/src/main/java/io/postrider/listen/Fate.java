package io.postrider.listen;

import java.time.Duration;

/** What became of a run of events: a value, so that every way it can end is written where it is decided. */
sealed interface Fate {
    /** All were handled, and the ledger says so. */
    record Delivered() implements Fate {}

    /**
     * The event at an index failed; those before it were handled. -1: somewhere in the batch, nobody knows where.
     *
     * @param notBefore how long it must be left alone at least
     */
    record Failed(int index, Throwable error, Duration notBefore) implements Fate {
        Failed(int index, Throwable error) {
            this(index, error, Duration.ZERO);
        }
    }

    /**
     * The sink of a relay was not there for the event at an index; those before it were taken. No event is to blame.
     *
     * @param notBefore how long the sink wants to be left alone
     */
    record Unavailable(int index, Throwable error, Duration notBefore) implements Fate {}

    /** The ledger had moved: another worker owns the listener. Whatever was done in the transaction is rolled back. */
    record Lost() implements Fate {}
}
