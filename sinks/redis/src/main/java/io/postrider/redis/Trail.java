package io.postrider.redis;

import io.postrider.LogEvent;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The ids of the last events that were handed over, by position: enough to tell that the log is not the one it was (restored, or
 * continued by a standby that lacked its end), and from where on. For one thread.
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

    /** Whether this event stands where another one stood. */
    boolean contradicts(LogEvent event) {
        UUID known = ids.get(event.position());
        return known != null && !known.equals(event.id());
    }

    /** Whether anything is known of the event at this position. */
    boolean knows(long position) {
        return ids.containsKey(position);
    }

    /** The position before the oldest that is known; none if nothing is. */
    OptionalLong start() {
        return ids.isEmpty() ? OptionalLong.empty() : OptionalLong.of(ids.firstKey() - 1);
    }

    /** The last position up to which these events, read from after a position, are those that were handed over. */
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
