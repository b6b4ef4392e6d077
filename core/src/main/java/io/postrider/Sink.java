package io.postrider;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A system outside the database that a relay sends to: a broker, a stream, an endpoint.
 *
 * <p>With a concurrency of 1 (the default), a relay calls its sink from one thread at a time. With a higher concurrency, several
 * threads call it at the same time, each with events of different keys. No transaction is open during a call. The code that
 * created a sink closes it, after the node.
 */
public interface Sink extends AutoCloseable {
    /**
     * Describes the sink and its address for lists and logs, without secrets, such as {@code kafka topic orders at broker:9092}.
     */
    String describe();

    /**
     * Sends these events in this order. Returns when the events that it reports as taken are stored safely. An exception means
     * that one of the events is to blame and the sink does not know which: the relay then sends them in halves to find it.
     * {@link UnavailableException} means that the sink was unavailable and took none of them.
     */
    SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception;

    /**
     * Returns the events of this epoch that the sink already has after this position: their ids by position. The relay does not
     * send them again. Called before a node that has taken over the relay sends its first events, and after a send that was not
     * complete. A sink that does not know what it has returns an empty map.
     */
    default Map<Long, UUID> holds(RelayEpoch epoch, long after) throws Exception {
        return Map.of();
    }

    /**
     * The content of the message that {@link #send} sends for an event, for a comparison in shadow mode. The default is
     * {@link Envelope#json}.
     */
    default String message(LogEvent event) {
        return Envelope.json(event);
    }

    /**
     * Reads what any publisher has written to this destination, or to another one on the same server, in the order of each lane.
     * Called by another thread than {@link #send}, for a comparison in shadow mode. Returns whether it has read everything since the
     * time in the query. If not, events before the first one that was read are not compared.
     *
     * @throws UnsupportedOperationException if this destination cannot be read
     */
    default boolean readPublished(PublishedQuery query, Consumer<PublishedMessage> messages) throws Exception {
        throw new UnsupportedOperationException(describe() + " cannot be read");
    }

    /**
     * Tests the connection in the same way as events are sent, without sending anything that a consumer could take for an event.
     * Returns the result as a sentence for an operator.
     */
    String test() throws Exception;

    @Override
    default void close() {}
}
