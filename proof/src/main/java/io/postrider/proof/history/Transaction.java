package io.postrider.proof.history;

import java.util.List;

/**
 * One transaction of the load.
 *
 * @param number its name in this history
 * @param xid its {@code pg_current_xact_id()}; 0 if unknown
 * @param commit how it ended
 * @param locks the key versions it held to its end, in the order it took them
 * @param events what it emitted, in order, including what it rolled back
 */
public record Transaction(int number, long xid, Commit commit, List<KeyVersion> locks, List<EmittedEvent> events) {
    public Transaction {
        locks = List.copyOf(locks);
        events = List.copyOf(events);
    }

    public Transaction with(Commit known) {
        return new Transaction(number, xid, known, locks, events);
    }
}
