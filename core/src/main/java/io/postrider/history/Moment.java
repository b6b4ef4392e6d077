package io.postrider.history;

import io.postrider.LogEvent;
import java.time.Instant;

/** A place among all events in the order of time: what stands before it is older. */
public record Moment(Instant at, String topic, long position) {
    /** Before everything that was created at this time or later. */
    public static Moment before(Instant at) {
        return new Moment(at, "", 0);
    }

    /** Before this event: where the next page begins after the last event of a page. */
    public static Moment before(LogEvent event) {
        return new Moment(event.createdAt(), event.topic(), event.position());
    }
}
