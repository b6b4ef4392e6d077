package io.postrider.listen;

import io.postrider.listen.Fate.Unavailable;
import java.time.Duration;
import java.util.UUID;

/** What a listener sends to, if it sends to anything: this one is nothing, always there and never in doubt. */
interface Outlet {
    Outlet NONE = new Outlet() {};

    /** Whether it may be slow, so that batches are cut by time. */
    default boolean isSlow() {
        return false;
    }

    /** Where the listener stands, read anew. */
    default void standAt(Ledger.Place place) {}

    /** The cursor is here now. */
    default void passed(long position) {}

    /** Whether it is left alone for now. */
    default boolean isAway() {
        return false;
    }

    default Duration untilNextTry() {
        return Duration.ZERO;
    }

    /** Before anything is sent: finds out what is there already. False if it is away. */
    default boolean makeSure() throws InterruptedException {
        return true;
    }

    /** Whether this event, ahead of the cursor, is known to be there. */
    default boolean has(long position, UUID event) {
        return false;
    }

    /** It was not there: nobody's fault, and nothing to count. */
    default void away(Unavailable away) {}

    /** It took an event, or refused one: it is there. */
    default void answered() {}

    /** Tries it for an operator. */
    default void test() throws InterruptedException {}
}
