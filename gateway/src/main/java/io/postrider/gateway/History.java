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
     * The events of the topic with {@code after < position <= upto} that are in one of the rooms <em>and</em> that the identity
     * may read, in the order of their positions. Fewer than {@code most} means that there are no more up to {@code upto}.
     */
    List<LogEvent> page(Identity who, Set<Room> rooms, String topic, long after, long upto, int most) throws Exception;

    /** The oldest position that is kept, of whatever room; one after {@link #reached} if none is. */
    long oldest(String topic) throws Exception;

    /** The last position that it has; every one before it, back to the oldest, it has too. */
    long reached(String topic) throws Exception;
}
