package io.postrider.gateway.jakarta;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;

/** Serves the browser client, {@code postrider.js}, for containers that do not serve {@code META-INF/resources} of jars. */
public final class ClientServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String FILE = "/META-INF/resources/postrider.js";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try (InputStream in = ClientServlet.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new ServletException(FILE + " is not in the jar");
            }
            response.setContentType("text/javascript");
            response.setCharacterEncoding("UTF-8");
            response.setHeader("Cache-Control", "no-cache");
            response.setHeader("X-Content-Type-Options", "nosniff");
            in.transferTo(response.getOutputStream());
        }
    }
}
