package io.postrider.gateway;

import io.postrider.LogEvent;
import java.util.List;
import java.util.Set;

/**
 * The source of events that a hub no longer has in memory: the read model, or the log. Its methods may block and may throw. They
 * are called concurrently by the hub's reader threads, never by the hub thread.
 */
public interface History {
    /**
     * The first events of a range that are in one of the rooms <em>and</em> that the identity may read, ordered by position. A
     * page may end before the range does and then says where, but it always makes progress.
     */
    Page page(Identity who, Set<Room> rooms, Stretch stretch) throws Exception;

    /**
     * The requested range: the positions {@code after < position <= upto} of a topic.
     *
     * @param most the maximum number of events
     * @param bytes the page ends with the event whose payload and headers bring its size to this many bytes: a page stays in
     *     memory until its client has received it, and events may be 256 KiB
     */
    record Stretch(String topic, long after, long upto, int most, long bytes) {}

    /**
     * Events, and the position up to which they are complete.
     *
     * @param to the position after which the next page begins
     */
    record Page(List<LogEvent> events, long to) {
        public Page {
            events = List.copyOf(events);
        }
    }

    /** The oldest position that is kept, in any room; {@link #reached} + 1 if none is. */
    long oldest(String topic) throws Exception;

    /** The last position that it has. It has every position from the oldest to this one. */
    long reached(String topic) throws Exception;

    /** Whether it keeps this topic now or will do so. If not, connections do not wait for it to catch up. */
    default boolean keeps(String topic) throws Exception {
        return true;
    }
}
