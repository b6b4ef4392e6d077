package io.postrider.gateway.jakarta;

import io.postrider.gateway.Gateway;
import io.postrider.gateway.Refusal;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Extension;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WebSocket, at {@code /v1/socket} or whatever path it is registered. A servlet that upgrades, and not an endpoint that the
 * container finds by itself: so the origin is looked at together with the host, and who is refused is told why.
 */
public final class SocketServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String CONTAINER = "jakarta.websocket.server.ServerContainer";

    private final transient Gateway gateway;

    public SocketServlet(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try {
            gateway.refuseForeign(request.getHeader("Origin"), request.getHeader("Host"), request.isSecure());
            refuseUnlessHandshake(request);
            upgrade(request, response);
        } catch (Refusal refusal) {
            gateway.refused(refusal.status());
            Problems.send(response, refusal);
        }
    }

    private static void refuseUnlessHandshake(HttpServletRequest request) {
        if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
            throw Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "this is a WebSocket: connect to it with one, or use the stream beside it");
        }
        if (request.getQueryString() != null) {
            throw Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "nothing is said in the URL, where a token would end up in logs: say it in the hello frame");
        }
    }

    private void upgrade(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (!(getServletContext().getAttribute(CONTAINER) instanceof ServerContainer container)) {
            throw new ServletException("this servlet container has no WebSocket; add its module for it");
        }
        Gateway.Visit visit = gateway.arrive();
        boolean upgraded = false;
        try {
            container.upgradeHttpToWebSocket(request, response, config(visit), Map.of());
            upgraded = response.getStatus() == HttpServletResponse.SC_SWITCHING_PROTOCOLS;
        } catch (DeploymentException e) {
            throw new ServletException(e);
        } finally {
            if (!upgraded) {
                visit.leave();
            }
        }
    }

    private ServerEndpointConfig config(Gateway.Visit visit) {
        return ServerEndpointConfig.Builder.create(SocketEndpoint.class, "/")
                .configurator(new Handshake(gateway, visit))
                .build();
    }

    /** Of one connection. */
    private static final class Handshake extends ServerEndpointConfig.Configurator {
        private final Gateway gateway;
        private final Gateway.Visit visit;

        Handshake(Gateway gateway, Gateway.Visit visit) {
            this.gateway = gateway;
            this.visit = visit;
        }

        @Override
        public <T> T getEndpointInstance(Class<T> type) {
            return type.cast(new SocketEndpoint(gateway, visit));
        }

        /** It has been, with the host. */
        @Override
        public boolean checkOrigin(@Nullable String origin) {
            return true;
        }

        /** None: what is compressed well may be a thousand times as large when it is not. */
        @Override
        public List<Extension> getNegotiatedExtensions(List<Extension> installed, List<Extension> requested) {
            return List.of();
        }

        @Override
        public String getNegotiatedSubprotocol(List<String> supported, List<String> requested) {
            return "";
        }
    }
}
