package io.postrider.history;

import io.postrider.LogEvent;
import java.util.List;

/**
 * Events in the order of a topic.
 *
 * @param to up to which position this is all there is: the next page begins after it
 */
public record Page(List<LogEvent> events, long to) {
    public Page {
        events = List.copyOf(events);
    }
}
