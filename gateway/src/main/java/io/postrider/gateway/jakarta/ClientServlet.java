package io.postrider.gateway.jakarta;

import jakarta.servlet.http.HttpServlet;

/** Serves the browser client, {@code postrider.js}, for containers that do not serve {@code META-INF/resources} of jars. */
public final class ClientServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
}
