package io.postrider.listen;

import java.time.Duration;

/**
 * What became of a run of events: a value, so that every way it can end is written where it is decided. {@code handled} always is
 * how many of them, from the first on, were handled; for a transactional listener that is rolled back with the rest.
 */
sealed interface Fate {
    /** All were handled, and the ledger says so. */
    record Delivered() implements Fate {}

    /**
     * The next one failed.
     *
     * @param notBefore how long it must be left alone at least
     */
    record Failed(int handled, Throwable error, Duration notBefore) implements Fate {
        Failed(int handled, Throwable error) {
            this(handled, error, Duration.ZERO);
        }
    }

    /** One of several failed, and nobody knows which. */
    record OneOfThem(Throwable error) implements Fate {}

    /** The sink of a relay wanted no more for now. Nothing went wrong. */
    record Partly(int handled) implements Fate {}

    /**
     * The sink of a relay was not there for the next one. No event is to blame.
     *
     * @param notBefore how long the sink wants to be left alone
     */
    record Unavailable(int handled, Throwable error, Duration notBefore) implements Fate {}

    /** All were handled, outside of any transaction, and the ledger could not be told. */
    record Unnoted(RuntimeException error) implements Fate {}

    /** The ledger had moved: another worker owns the listener. Whatever was done in the transaction is rolled back. */
    record Lost() implements Fate {}
}
