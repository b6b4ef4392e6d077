package io.postrider.gateway.jakarta;

import io.postrider.gateway.Gateway;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;

/** WebSocket at {@code /v1/socket}, or another path. */
public final class SocketEndpoint extends Endpoint {
    SocketEndpoint(Gateway gateway) {}

    /** Puts it on a container, which a servlet context has as its attribute {@code jakarta.websocket.server.ServerContainer}. */
    public static void register(ServerContainer container, String path, Gateway gateway) throws DeploymentException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onOpen(Session session, EndpointConfig config) {
        throw new UnsupportedOperationException();
    }
}
