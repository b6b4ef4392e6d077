package io.postrider.admin;

import io.postrider.LogEvent;
import java.time.Instant;

/** A place in the list of all recorded events, which is sorted by time. A page contains the events before it, the latest first. */
public record EventLogCursor(Instant at, String topic, long position) {
    /** Before every event that was created at this time or later. */
    public static EventLogCursor before(Instant at) {
        return new EventLogCursor(at, "", 0);
    }

    /** Before this event. To read the next page, pass the last event of the current page. */
    public static EventLogCursor before(LogEvent event) {
        return new EventLogCursor(event.createdAt(), event.topic(), event.position());
    }
}
