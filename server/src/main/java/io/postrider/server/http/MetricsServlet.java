package io.postrider.server.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.gateway.jakarta.AnswerWriter;
import io.postrider.server.api.Problem;
import io.postrider.spring.DatabaseGauges;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code /metrics} in the Prometheus text format. Contains names of topics, listeners and types, never a payload, a project or a
 * user. Public if the server listens on this machine only and the Host header names this machine. Otherwise it needs a token
 * with reach all, unless the settings make it public.
 */
public final class MetricsServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /** Requests within this time share the same bytes, so that clients that do not read their answer use little memory. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final transient PrometheusMeterRegistry registry;
    private final transient DatabaseGauges gauges;
    private final transient TokenFilter guard;
    private final transient Predicate<HttpServletRequest> isOpen;
    private final transient AnswerWriter answers;
    private final transient ReentrantLock scraping = new ReentrantLock();
    private transient volatile @Nullable Scrape last;

    private record Scrape(byte[] text, long at) {}

    /** Shows this registry to public requests, and to callers that the guard accepts as operators. */
    public MetricsServlet(
            PrometheusMeterRegistry registry,
            DatabaseGauges gauges,
            TokenFilter guard,
            Predicate<HttpServletRequest> isOpen,
            AnswerWriter answers) {
        this.registry = registry;
        this.gauges = gauges;
        this.guard = guard;
        this.isOpen = isOpen;
        this.answers = answers;
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
        byte[] text = scrape();
        response.setContentType(MEDIA_TYPE);
        response.setContentLength(text.length);
        answers.write(request, response, text, () -> {});
    }

    /** A scrape may wait a second for the database. Concurrent requests get the previous text instead of waiting too. */
    private byte[] scrape() {
        Scrape before = last;
        if (before != null && System.nanoTime() - before.at() < FRESH_NANOS) {
            return before.text();
        }
        if (!scraping.tryLock()) {
            if (before != null) {
                return before.text();
            }
            scraping.lock();
        }
        try {
            gauges.refresh();
            byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
            last = new Scrape(text, System.nanoTime());
            return text;
        } finally {
            scraping.unlock();
        }
    }
}
