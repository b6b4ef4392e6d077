package io.postrider.internal.listen;

import io.postrider.internal.listen.Settlement.Delivery;

/**
 * How far a listener has come, as this node knows it. Immutable.
 *
 * @param position the last position that the ledger has as finished
 * @param scanned the last position that was read. Positions between {@code position} and this one have no event for the listener,
 *     or a sink has taken their events and they are recorded in the ledger later
 * @param unrecorded the number of events up to {@code scanned} that a sink has taken and the ledger does not know of
 * @param era the era in which the listener reads
 * @param epoch the number of its last starting point
 * @param shadowUpto the last position in shadow: up to there nothing is sent; 0 if there is none
 * @param recordedAt when {@code position} was set, as {@link System#nanoTime()}
 */
record Cursor(long position, long scanned, int unrecorded, int era, long epoch, long shadowUpto, long recordedAt) {
    /** Before the ledger has been read. */
    static final Cursor UNKNOWN = new Cursor(0, 0, 0, 0, 0, 0, System.nanoTime());

    static Cursor at(ListenerState state) {
        return new Cursor(
                state.cursor(), state.cursor(), 0, state.era(), state.epoch(), state.shadowUpto(), System.nanoTime());
    }

    /** The ledger has everything up to here as finished. */
    Cursor recordedTo(long to) {
        return new Cursor(to, to, 0, era, epoch, shadowUpto, System.nanoTime());
    }

    /** Positions up to here have no event for the listener. */
    Cursor scannedTo(long to) {
        return new Cursor(position, to, unrecorded, era, epoch, shadowUpto, recordedAt);
    }

    /** A sink has taken the events up to here. */
    Cursor sentTo(long to, int events) {
        return new Cursor(position, to, unrecorded + events, era, epoch, shadowUpto, recordedAt);
    }

    /** Whether the position after the cursor is in shadow: it is recorded instead of sent. */
    boolean isShadow() {
        return position < shadowUpto;
    }

    long nanosSinceRecorded() {
        return System.nanoTime() - recordedAt;
    }

    /** The positions after the cursor up to this one, of which the last {@code events} events are not counted yet. */
    Delivery deliveryTo(long to, int events) {
        return new Delivery(position + 1, to, events + unrecorded, era);
    }
}
