package io.postrider.internal.listen;

import io.postrider.LogEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Ledger} writes in one transaction after events were handled or passed over. Each part may be missing.
 *
 * @param park events that wait behind an earlier event of their key
 * @param cleared the setback of an event that is done
 * @param delivery the positions that are finished
 * @param shadow what would have been sent for them, if the listener is in shadow
 */
record Settlement(
        List<LogEvent> park,
        @Nullable Cleared cleared,
        @Nullable Delivery delivery,
        @Nullable ShadowRecord shadow) {
    /** Writes nothing: the sent events are recorded later. */
    static final Settlement NONE = new Settlement(List.of(), null, null, null);

    /** The attempt that made the setback at this position obsolete. */
    record Cleared(long position, int attempt) {}

    /** A row of the table {@code delivery}; {@code events} of the positions had an event for the listener. */
    record Delivery(long from, long to, int events, int era) {}

    static Settlement of(Delivery delivery) {
        return new Settlement(List.of(), null, delivery, null);
    }

    static Settlement ofShadow(Delivery delivery, ShadowRecord shadow) {
        return new Settlement(List.of(), null, delivery, shadow);
    }

    static Settlement clearing(long position, int attempt) {
        return new Settlement(List.of(), new Cleared(position, attempt), null, null);
    }

    Settlement with(Delivery newDelivery) {
        return new Settlement(park, cleared, newDelivery, shadow);
    }

    Settlement parking(List<LogEvent> events) {
        return new Settlement(events, cleared, delivery, shadow);
    }

    boolean isNone() {
        return park.isEmpty() && cleared == null && delivery == null;
    }
}
