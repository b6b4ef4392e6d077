package io.postrider.gateway;

/**
 * Hands each event of its topics to those who may hear it. One thread owns everything there is to know: who is in which room,
 * what was recent, how far each topic is.
 */
public final class Hub implements AutoCloseable {
    private Hub() {}

    /** Begins to follow the topics. The feed is the hub's from now on, and is closed with it. */
    public static Hub open(Feed feed, History history, GatewayOptions options) {
        throw new UnsupportedOperationException();
    }

    /** Whether every topic's feed has begun. Before that nobody is let in. */
    public boolean isReady() {
        throw new UnsupportedOperationException();
    }

    /** How far a topic is here; -1 if it has not begun. */
    public long reached(String topic) {
        throw new UnsupportedOperationException();
    }

    /** How many connections there are now. */
    public int connections() {
        throw new UnsupportedOperationException();
    }

    /** Tells everybody to come back elsewhere, with their resume positions, and ends. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
