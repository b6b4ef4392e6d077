package io.postrider.gateway;

/** The socket's side of a subscriber: how frames get onto it. */
public interface Transport {
    /** How frames are written. Each event is encoded once for each form, whoever gets it. */
    enum Form {
        SSE,
        WEBSOCKET
    }

    Form form();

    /**
     * There is something to write: take {@link Subscriber#next} until it gives null or the socket takes no more. Called by a
     * thread of the hub's writers, one call at a time; must not block.
     */
    void flush();

    /** Ends it without a word: it has had its cut frame, or did not take it in time. Must not block. */
    void abort();
}
