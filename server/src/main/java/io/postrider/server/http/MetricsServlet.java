package io.postrider.server.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.server.api.Problem;
import io.postrider.spring.DatabaseGauges;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/**
 * {@code /metrics} in the text form of Prometheus. Names of topics, listeners and types are in it, never a payload, a project or a
 * user. Open if the server listens on this machine only and the request's host names this machine. Otherwise it needs a token
 * that reaches all, unless the settings say otherwise.
 */
public final class MetricsServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final transient PrometheusMeterRegistry registry;
    private final transient DatabaseGauges gauges;
    private final transient TokenFilter guard;
    private final transient Predicate<HttpServletRequest> isOpen;

    /** Shows this registry to public requests, and to callers that the guard accepts as operators. */
    public MetricsServlet(
            PrometheusMeterRegistry registry,
            DatabaseGauges gauges,
            TokenFilter guard,
            Predicate<HttpServletRequest> isOpen) {
        this.registry = registry;
        this.gauges = gauges;
        this.guard = guard;
        this.isOpen = isOpen;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            if (!isOpen.test(request) && !guard.verified(request).isOperator()) {
                throw Problem.forbidden("metrics need a token with reach all", "Use another token.");
            }
        } catch (RuntimeException e) {
            Problems.write(response, Problem.of(e));
            return;
        }
        gauges.refresh();
        byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
        response.setContentType(MEDIA_TYPE);
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
    }
}
