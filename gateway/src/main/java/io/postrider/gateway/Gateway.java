package io.postrider.gateway;

/** The door to a hub: who comes in, and who does not. What the servlet and the WebSocket endpoint stand on. Safe to share. */
public final class Gateway implements AutoCloseable {
    private Gateway() {}

    /** A gateway that knows people by these tokens. The hub is the gateway's from now on, and is closed with it. */
    public static Gateway of(Tokens tokens, Hub hub) {
        throw new UnsupportedOperationException();
    }

    public Hub hub() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
