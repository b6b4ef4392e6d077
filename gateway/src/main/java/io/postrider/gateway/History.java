package io.postrider.gateway;

import io.postrider.LogEvent;
import java.util.List;
import java.util.Set;

/**
 * What a hub asks for events that it does not have in memory any more: the read model, or the log. Its methods may block and
 * may throw; they are called by the hub's readers, several at once, never by the hub's own thread.
 */
public interface History {
    /**
     * The first events of a stretch that are in one of the rooms <em>and</em> that the identity may read, in the order of their
     * positions. A page may end before the stretch does, and says where; but never where it begins.
     */
    Page page(Identity who, Set<Room> rooms, Stretch stretch) throws Exception;

    /**
     * What is asked for: the positions {@code after < position <= upto} of a topic.
     *
     * @param most so many events at most
     * @param bytes a page ends with the event by which its payloads and headers are as large as this: a page waits in memory
     *     until its client has taken it, and events of 256 KiB are allowed
     */
    record Stretch(String topic, long after, long upto, int most, long bytes) {}

    /**
     * Events, and up to which position these are all.
     *
     * @param to where the next page begins
     */
    record Page(List<LogEvent> events, long to) {
        public Page {
            events = List.copyOf(events);
        }
    }

    /** The oldest position that is kept, of whatever room; one after {@link #reached} if none is. */
    long oldest(String topic) throws Exception;

    /** The last position that it has; every one before it, back to the oldest, it has too. */
    long reached(String topic) throws Exception;

    /** Whether it keeps anything of this topic, or will: if not, nobody waits until it has come so far. */
    default boolean keeps(String topic) throws Exception {
        return true;
    }
}
