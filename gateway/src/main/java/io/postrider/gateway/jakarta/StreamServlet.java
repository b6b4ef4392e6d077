package io.postrider.gateway.jakarta;

import io.postrider.gateway.Gateway;
import io.postrider.gateway.Refusal;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Serves Server-Sent Events: {@code GET /v1/stream?topic=T&room=R[&room=R2][&position=N]} with {@code Authorization: Bearer …}.
 * Register it with asynchronous support, at any path.
 */
public final class StreamServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Pattern POSITION = Pattern.compile("[0-9]{1,18}");
    private static final String BEARER = "Bearer ";

    /** Parameters that a query may have beside its rooms. */
    private static final int BESIDE_ROOMS = 10;

    private static final List<String> PARAMETERS = List.of("topic", "room", "position");

    private final transient Gateway gateway;

    public StreamServlet(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            gateway.refuseForeign(request.getHeader("Origin"), request.getHeader("Host"), request.isSecure());
            allowOrigin(request, response);
            switch (request.getMethod()) {
                case "GET" -> open(request, response);
                case "OPTIONS" -> preflight(response);
                default -> {
                    response.setHeader("Allow", "GET, OPTIONS");
                    throw Refusal.of(Refusal.Why.METHOD_NOT_ALLOWED, "a stream is opened with GET");
                }
            }
        } catch (Refusal refusal) {
            gateway.refused(refusal.status());
            Problems.send(response, refusal);
        }
    }

    /** A request with an origin that gets this far has an allowed one. */
    private static void allowOrigin(HttpServletRequest request, HttpServletResponse response) {
        String origin = request.getHeader("Origin");
        response.setHeader("Vary", "Origin");
        if (origin != null) {
            response.setHeader("Access-Control-Allow-Origin", origin);
            response.setHeader("Access-Control-Expose-Headers", "Retry-After");
        }
    }

    private static void preflight(HttpServletResponse response) {
        response.setHeader("Access-Control-Allow-Methods", "GET");
        response.setHeader("Access-Control-Allow-Headers", "Authorization, Last-Event-ID, Cache-Control");
        response.setHeader("Access-Control-Max-Age", "600");
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private void open(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Gateway.Wish wish = wish(request);
        Gateway.Visit visit = gateway.arrive();
        boolean begun = false;
        try {
            visit.admit(wish);
            response.setContentType("text/event-stream");
            response.setCharacterEncoding("UTF-8");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader("X-Accel-Buffering", "no"); // nginx would buffer small writes
            response.setHeader("X-Content-Type-Options", "nosniff");
            AsyncContext async = request.startAsync();
            async.setTimeout(0);
            new SseStream(visit, async).begin();
            begun = true;
        } finally {
            if (!begun) {
                visit.leave();
            }
        }
    }

    private Gateway.Wish wish(HttpServletRequest request) {
        Set<String> names = parameterNames(request);
        if (names.contains("token") || names.contains("access_token")) {
            throw Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "a token in a URL ends up in logs: send it in the header Authorization, and get a new one");
        }
        Refusal.refuseUnknown("parameter", names, PARAMETERS);
        String[] rooms = request.getParameterValues("room");
        return new Gateway.Wish(
                token(request), one(request, "topic"), rooms == null ? List.of() : List.of(rooms), position(request));
    }

    /**
     * Counts the parameters before the container decodes them, because the container keeps them as long as the stream. The
     * container throws for a query that it cannot decode.
     */
    private Set<String> parameterNames(HttpServletRequest request) {
        int most = gateway.options().rooms() + BESIDE_ROOMS;
        String query = request.getQueryString();
        try {
            if (query == null || query.chars().filter(c -> c == '&').count() < most) {
                return request.getParameterMap().keySet();
            }
        } catch (IllegalStateException e) {
            // refused below
        }
        throw Refusal.of(
                Refusal.Why.BAD_REQUEST,
                "the query of the URL must be percent-encoded UTF-8 with at most " + most + " parameters");
    }

    private static @Nullable String token(HttpServletRequest request) {
        List<String> sent = Collections.list(request.getHeaders("Authorization"));
        if (sent.isEmpty()) {
            return null;
        }
        if (sent.size() > 1 || !sent.get(0).regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw Refusal.of(Refusal.Why.UNAUTHORIZED, "Authorization must be one Bearer token");
        }
        return sent.get(0).substring(BEARER.length()).strip();
    }

    /** The header takes precedence: a client that reconnects sends it with its original URL, whose position is older. */
    private static @Nullable Long position(HttpServletRequest request) {
        String header = request.getHeader("Last-Event-ID");
        String text = header == null || header.isEmpty() ? one(request, "position") : header;
        if (text == null) {
            return null;
        }
        if (!POSITION.matcher(text).matches()) {
            throw Refusal.of(Refusal.Why.BAD_REQUEST, "a position is a whole number of at most 18 digits");
        }
        return Long.valueOf(text);
    }

    private static @Nullable String one(HttpServletRequest request, String name) {
        String[] values = request.getParameterValues(name);
        if (values == null) {
            return null;
        }
        if (values.length > 1) {
            throw Refusal.of(Refusal.Why.BAD_REQUEST, "give " + name + " once");
        }
        return values[0];
    }
}
