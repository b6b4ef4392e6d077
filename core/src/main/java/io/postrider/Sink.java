package io.postrider;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Somewhere outside the database that a relay sends to: a broker, a stream, an endpoint.
 *
 * <p>One relay calls a sink by one thread at a time, unless its concurrency is above 1: then by several, each with events of
 * other keys. No transaction is open meanwhile. Whoever made a sink closes it, after the node.
 */
public interface Sink extends AutoCloseable {
    /** What it is and where, for lists and logs; never a secret. Such as {@code kafka topic orders at broker:9092}. */
    String describe();

    /**
     * Takes these events in this order. Gives the receipt when those it counts as taken are safe there. An exception says that
     * an event among them is at fault and the sink does not know which: they are then sent in halves, to find it.
     */
    Receipt send(Course course, List<LogEvent> events) throws Exception;

    /**
     * What the sink has already of this course after a position: the ids of the events by their positions. Asked before the
     * first events of a tenure and after a receipt that was not whole, so that what had arrived is not sent again. A sink that
     * cannot tell has nothing to say.
     */
    default Map<Long, UUID> holds(Course course, long after) throws Exception {
        return Map.of();
    }

    /**
     * Reaches the sink in the way events would, without anything that a consumer takes for one. Gives what it found, in a
     * sentence for an operator.
     */
    String test() throws Exception;

    @Override
    default void close() {}
}
