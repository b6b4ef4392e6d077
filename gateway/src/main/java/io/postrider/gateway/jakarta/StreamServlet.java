package io.postrider.gateway.jakarta;

import io.postrider.gateway.Gateway;
import jakarta.servlet.http.HttpServlet;

/**
 * Server-Sent Events: {@code GET /v1/stream?topic=T&room=R[&room=R2][&position=N]}. To be registered with asynchronous support
 * on, at whatever path.
 */
public final class StreamServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    public StreamServlet(Gateway gateway) {}
}
