package io.postrider.gateway;

import org.jspecify.annotations.Nullable;

/**
 * Accepts the messages that clients send over their WebSocket. The gateway has checked the origin and the token, limits size, rate
 * and number of waiting messages, and calls it with one message of a connection at a time, in the order in which they were sent.
 * Several threads call it at the same time, for different connections.
 */
@FunctionalInterface
public interface Inbound {
    /**
     * Stores a message. The client gets its acknowledgement when this method returns, so the message must be durable by then. A
     * client that did not get the acknowledgement sends the message again with the same id: store it only once.
     *
     * <p>A {@link Refusal} is sent to the client. The client retries after 429 and 503, and gives up after every other status. Any
     * other exception is logged and reported as 503.
     *
     * @return JSON for the client, which is part of the acknowledgement; null: nothing
     */
    @Nullable
    String accept(Message message) throws Exception;

    /**
     * A message from a client.
     *
     * @param identity the sender, from the connection's current token
     * @param topic the topic that the connection follows
     * @param id chosen by the client: up to 64 letters, digits, - and _. Unique only for one sender
     * @param data a JSON object
     */
    record Message(Identity identity, String topic, String id, String data) {
        /** Omits the data. */
        @Override
        public String toString() {
            return "subject=" + identity.subject() + " topic=" + topic + " id=" + id;
        }
    }
}
