package io.postrider.internal.listen;

import io.postrider.internal.listen.HandlingResult.Unavailable;
import java.time.Duration;
import java.util.UUID;

/**
 * Where a listener sends its events. The default is for transactional listeners: always available, and never in doubt about what
 * has arrived.
 */
interface Destination {
    Destination NONE = new Destination() {};

    /** Whether it may be slow, so that batches are limited by time. */
    default boolean isSlow() {
        return false;
    }

    /** The state of the listener was read again. */
    default void resumeAt(ListenerState state) {}

    default void cursorMoved(long position) {}

    /** Whether it is left alone for now. */
    default boolean isUnavailable() {
        return false;
    }

    default Duration untilNextTry() {
        return Duration.ZERO;
    }

    /** Before anything is sent: finds out what has already arrived. False if the destination is unavailable. */
    default boolean resolveDoubt() throws InterruptedException {
        return true;
    }

    /** Whether this event, ahead of the cursor, is known to have arrived. */
    default boolean has(long position, UUID event) {
        return false;
    }

    /** The last position that is known to have arrived, or 0. */
    default long lastArrived() {
        return 0;
    }

    /** It was unavailable. No event is to blame, and no attempt counts. */
    default void unavailable(Unavailable result) {}

    /** It took an event or refused one, so it is available. */
    default void responded() {}

    /** Reads what other publishers have written to it, for a comparison that an operator has requested. Does not wait for it. */
    default void readPublished() {}

    /** Tests it for an operator. */
    default void test() throws InterruptedException {}
}
