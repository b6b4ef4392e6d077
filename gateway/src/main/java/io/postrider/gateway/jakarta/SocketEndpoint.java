package io.postrider.gateway.jakarta;

import io.postrider.gateway.Gateway;
import jakarta.websocket.CloseReason;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Session;
import org.jspecify.annotations.Nullable;

/** Receives the container's callbacks for one WebSocket. */
final class SocketEndpoint extends Endpoint {
    private final Gateway gateway;
    private final Gateway.Visit visit;
    private volatile @Nullable SocketStream stream;

    SocketEndpoint(Gateway gateway, Gateway.Visit visit) {
        this.gateway = gateway;
        this.visit = visit;
    }

    @Override
    public void onOpen(Session session, EndpointConfig config) {
        SocketStream opened = new SocketStream(gateway, visit, session);
        stream = opened;
        opened.open();
    }

    @Override
    public void onClose(Session session, CloseReason reason) {
        visit.leave();
    }

    /** The container closes the socket afterwards. An error before onOpen() has returned is handled in the same way. */
    @Override
    public void onError(Session session, Throwable error) {
        SocketStream opened = stream;
        if (opened == null) {
            visit.leave();
        } else {
            opened.abort();
        }
    }
}
