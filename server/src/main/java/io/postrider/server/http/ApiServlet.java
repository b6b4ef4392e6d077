package io.postrider.server.http;

import io.postrider.gateway.Identity;
import io.postrider.gateway.jakarta.AnswerWriter;
import io.postrider.server.api.Answer;
import io.postrider.server.api.Api;
import io.postrider.server.api.MemoryShares;
import io.postrider.server.api.Problem;
import io.postrider.server.api.Route;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Serves the request-response routes under {@code /v1}. */
public final class ApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    /**
     * Maximum number of parameters in a query: a stream may name 50 rooms. With the container's default of 1,000, the parameters of
     * one request took 300 KB.
     */
    public static final int MOST_PARAMETERS = 60;

    private static final String ADMITTED = ApiServlet.class.getName() + ".admitted";

    private final transient Api api;
    private final transient BodyReader bodies;
    private final transient AnswerWriter answers;
    private final transient Semaphore working;
    private final int bodyCap;

    /**
     * Serves these routes.
     *
     * @param bodyCap maximum number of bytes of a body
     * @param bodyTimeout time within which it must arrive
     * @param reading limits the bytes of bodies that are being read
     * @param answers how answers are written
     * @param working maximum number of concurrent requests; less than the container's worker threads, so that probes are answered
     */
    public ApiServlet(
            Api api, int bodyCap, Duration bodyTimeout, MemoryShares reading, AnswerWriter answers, int working) {
        this.api = api;
        this.bodyCap = bodyCap;
        this.bodies = new BodyReader(bodyCap, bodyTimeout, reading);
        this.answers = answers;
        this.working = new Semaphore(working);
    }

    /** A request whose headers passed the checks. */
    private record Admitted(
            Route route,
            String path,
            Map<String, List<String>> query,
            @Nullable Identity who) {}

    /** A request with a body is dispatched twice: to check its headers, and to answer it after the body has been read. */
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            if (BodyReader.hasEnded(request)) {
                Admitted admitted = (Admitted) request.getAttribute(ADMITTED);
                byte[] body = BodyReader.outcome(request);
                write(request, response, answer(admitted, body));
                return;
            }
            Admitted admitted = admit(request);
            if (admitted.route().hasBody() && BodyReader.hasBody(request)) {
                request.setAttribute(ADMITTED, admitted);
                bodies.begin(request, Objects.requireNonNull(admitted.who(), "no body is read without a token"));
            } else {
                write(request, response, answer(admitted, new byte[0]));
            }
        } catch (RuntimeException e) {
            Problems.write(response, Problem.of(e));
        }
    }

    private Admitted admit(HttpServletRequest request) {
        String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
        String path = RequestPath.of(request);
        Route route = api.find(method, path);
        @Nullable Identity who = TokenFilter.identity(request);
        Api.admit(route, who);
        Api.check(route, path, who);
        Bodies.refuseAccept(request);
        if (route.hasBody()) {
            Bodies.refuseUnlessJson(request);
            Bodies.refuseLong(request, bodyCap);
        }
        Map<String, List<String>> query = query(request);
        Api.refuseUnknown(route, query);
        return new Admitted(route, path, query, who);
    }

    private Answer answer(Admitted admitted, byte[] body) {
        if (!working.tryAcquire()) {
            throw Problem.of(503, "the server is busy", "Try again after the time in Retry-After.")
                    .withHeader("Retry-After", "1");
        }
        try {
            return Api.answer(admitted.route(), admitted.path(), admitted.query(), admitted.who(), body);
        } finally {
            working.release();
        }
    }

    private static Map<String, List<String>> query(HttpServletRequest request) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        if (request.getQueryString() != null) {
            parameters(request).forEach((name, values) -> query.put(name, Arrays.asList(values)));
        }
        return query;
    }

    /** The container throws if the query is malformed or has too many parameters. */
    private static Map<String, String[]> parameters(HttpServletRequest request) {
        try {
            return request.getParameterMap();
        } catch (IllegalStateException e) {
            throw Problem.badRequest("the query of the URL must be percent-encoded UTF-8 with at most "
                    + MOST_PARAMETERS + " parameters");
        }
    }

    private void write(HttpServletRequest request, HttpServletResponse response, Answer answer) throws IOException {
        response.setStatus(answer.status());
        response.setContentType(answer.mediaType());
        response.setContentLength(answer.body().length);
        answers.write(request, response, answer.body(), answer::end);
    }
}
