package io.postrider.server.http;

import io.postrider.PostriderException;
import io.postrider.gateway.Identity;
import io.postrider.server.api.Answer;
import io.postrider.server.api.Api;
import io.postrider.server.api.Problem;
import io.postrider.server.api.Route;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything under {@code /v1} that is a question and an answer. */
public final class ApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient Api api;
    private final int bodyCap;

    /** Answers by these routes; a body may have so many bytes. */
    public ApiServlet(Api api, int bodyCap) {
        this.api = api;
        this.bodyCap = bodyCap;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            write(response, answer(request), request.getMethod().equals("HEAD"));
        } catch (RuntimeException e) {
            Problems.write(response, Problem.of(e));
        }
    }

    private Answer answer(HttpServletRequest request) {
        String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
        String path = RequestPath.of(request);
        Route route = api.find(method, path);
        @Nullable Identity who = TokenFilter.identity(request);
        Api.admit(route, who);
        Bodies.refuseAccept(request);
        if (route.hasBody()) {
            Bodies.refuseUnlessJson(request);
            Bodies.refuseLong(request, bodyCap);
        }
        return Api.answer(route, path, query(request), who, () -> Bodies.read(request, bodyCap));
    }

    private static Map<String, List<String>> query(HttpServletRequest request) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        if (request.getQueryString() != null) {
            parameters(request).forEach((name, values) -> query.put(name, Arrays.asList(values)));
        }
        return query;
    }

    /** The container throws for what is not encoded as a query must be, and for too many of them. */
    private static Map<String, String[]> parameters(HttpServletRequest request) {
        try {
            return request.getParameterMap();
        } catch (IllegalStateException e) {
            throw PostriderException.refused("the query of the URL cannot be read: " + e.getMessage());
        }
    }

    private static void write(HttpServletResponse response, Answer answer, boolean head) throws IOException {
        response.setStatus(answer.status());
        response.setContentType(answer.mediaType());
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        response.setContentLength(body.length);
        if (!head) {
            response.getOutputStream().write(body);
        }
    }
}
