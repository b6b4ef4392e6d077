package io.postrider.redis;

import io.postrider.LogEvent;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The ids of the latest delivered events by position: enough to detect that the log was replaced (restored, or continued by a
 * standby that lacked its end), and from which position on. Not thread-safe.
 */
final class Trail {
    static final int KEPT = 1_000;

    private final TreeMap<Long, UUID> ids = new TreeMap<>();

    void add(List<LogEvent> events) {
        events.forEach(event -> ids.put(event.position(), event.id()));
        while (ids.size() > KEPT) {
            ids.pollFirstEntry();
        }
    }

    /** Whether another event was delivered at this event's position. */
    boolean contradicts(LogEvent event) {
        UUID known = ids.get(event.position());
        return known != null && !known.equals(event.id());
    }

    /** Whether the event at this position is known. */
    boolean knows(long position) {
        return ids.containsKey(position);
    }

    /** The position before the oldest known one; empty if none is known. */
    OptionalLong start() {
        return ids.isEmpty() ? OptionalLong.empty() : OptionalLong.of(ids.firstKey() - 1);
    }

    /** The last position up to which these events, read from after a position, match the delivered ones. */
    long common(long after, List<LogEvent> read) {
        long common = after;
        for (LogEvent event : read) {
            if (!event.id().equals(ids.get(event.position()))) {
                break;
            }
            common = event.position();
        }
        return common;
    }

    void forgetAfter(long position) {
        ids.tailMap(position, false).clear();
    }
}
