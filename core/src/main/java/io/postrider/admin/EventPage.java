package io.postrider.admin;

import io.postrider.LogEvent;
import java.util.List;

/**
 * Events in log order.
 *
 * @param to the page is complete up to this position; the next one begins after it
 */
public record EventPage(List<LogEvent> events, long to) {
    /** Copies the list. */
    public EventPage {
        events = List.copyOf(events);
    }
}
