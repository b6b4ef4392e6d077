package io.postrider.internal.log;

import io.postrider.LogEvent;
import java.util.List;

/**
 * What was read of a topic at positions {@code after + 1 .. to}: all events, or those that the filter selects.
 *
 * @param era in which it was read: in another era, other events may have the same positions
 */
public record LogRange(long after, long to, int era, List<LogEvent> events) {
    public boolean isEmpty() {
        return to == after;
    }
}
