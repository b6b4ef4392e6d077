package io.postrider.server.http;

import io.postrider.server.api.Problem;
import io.postrider.spring.Readiness;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /health/live}: the process answers. {@code /health/ready}: it can also do its work. Probes have no token, so the answer
 * is only up or down, with a one-word reason if events get no position; the details are in the log.
 */
public final class HealthServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Logger log = LoggerFactory.getLogger(HealthServlet.class);

    private final transient Supplier<Readiness.Answer> readiness;

    /** Reports the readiness that this supplier returns. */
    public HealthServlet(Supplier<Readiness.Answer> readiness) {
        this.readiness = readiness;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = String.valueOf(request.getPathInfo());
        switch (path) {
            case "/live" -> say(response, 200, "up", null);
            case "/ready" -> {
                Readiness.Answer answer = readiness.get();
                if (!answer.ready()) {
                    log.warn("not_ready why=\"{}\"", answer.detail());
                }
                say(response, answer.ready() ? 200 : 503, answer.ready() ? "up" : "down", answer.reason());
            }
            default ->
                Problems.write(response, Problem.of(404, "unknown health check", "Use /health/live or /health/ready."));
        }
    }

    private static void say(HttpServletResponse response, int status, String word, @Nullable String reason)
            throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        String why = reason == null ? "" : ",\"reason\":\"" + reason + "\"";
        response.getOutputStream().write(("{\"status\":\"" + word + "\"" + why + "}").getBytes(StandardCharsets.UTF_8));
    }
}
