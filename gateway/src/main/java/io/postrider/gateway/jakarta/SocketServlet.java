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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves WebSocket at {@code /v1/socket} or any other path it is registered for. It is a servlet that upgrades rather than an
 * endpoint that the container discovers, so that the origin is checked together with the host and a refused client gets the
 * reason.
 */
public final class SocketServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    /**
     * A request attribute: a {@link Runnable} that releases the slot of an upgrade. It is for a container, filter or valve that
     * does not send the 101 response; without it, the slot is free again when the hello timeout is over.
     */
    public static final String LEAVE = SocketServlet.class.getName() + ".leave";

    /** The container keeps the head of an upgrade as long as the WebSocket: 90 headers of 150 bytes took 30 KB of memory. */
    private static final int MOST_HEAD = 8 * 1024;

    private static final int MOST_HEADERS = 50;

    private static final String CONTAINER = "jakarta.websocket.server.ServerContainer";

    private final transient Gateway gateway;

    public SocketServlet(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try {
            if (!request.getMethod().equals("GET")) { // Tomcat would upgrade any method and parse the body as frames
                response.setHeader("Allow", "GET");
                throw Refusal.of(Refusal.Why.METHOD_NOT_ALLOWED, "a WebSocket is opened with GET");
            }
            gateway.refuseForeign(request.getHeader("Origin"), request.getHeader("Host"), request.isSecure());
            refuseUnlessHandshake(request);
            refuseLargeHead(request);
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
                    "this is a WebSocket endpoint: connect with a WebSocket client, or use the event stream");
        }
        if (request.getQueryString() != null) {
            throw Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "the URL must have no query, because a token in it would be logged: use the hello frame");
        }
    }

    private static void refuseLargeHead(HttpServletRequest request) {
        int headers = 0;
        int length = request.getRequestURI().length();
        for (String name : Collections.list(request.getHeaderNames())) {
            for (String value : Collections.list(request.getHeaders(name))) {
                headers++;
                length += name.length() + value.length();
            }
        }
        if (headers > MOST_HEADERS || length > MOST_HEAD) {
            throw Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "a WebSocket is opened with at most " + MOST_HEADERS + " headers and " + MOST_HEAD
                            + " characters in them, were " + headers + " and " + length);
        }
    }

    private void upgrade(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (!(getServletContext().getAttribute(CONTAINER) instanceof ServerContainer container)) {
            throw new ServletException("this servlet container has no WebSocket support; add its WebSocket module");
        }
        Gateway.Visit visit = gateway.arrive();
        boolean upgraded = false;
        try {
            container.upgradeHttpToWebSocket(request, response, config(visit), Map.of());
            upgraded = response.getStatus() == HttpServletResponse.SC_SWITCHING_PROTOCOLS;
            request.setAttribute(LEAVE, (Runnable) visit::leave);
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

    /** The configuration of one connection. */
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

        /** The servlet has already checked the origin, together with the host. */
        @Override
        public boolean checkOrigin(@Nullable String origin) {
            return true;
        }

        /** No compression: well-compressed data may be a thousand times as large after decompression. */
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
