package io.postrider.server.http;

import io.postrider.PostriderException;
import io.postrider.gateway.Origins;
import io.postrider.server.api.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The first filter: sets the security headers of every answer, and checks which origins may call the API (CORS). The server's
 * own origin always may; others if they are listed. Requests from all other origins are refused before any further work.
 */
public final class FrontFilter extends HttpFilter {
    private static final long serialVersionUID = 1;

    private final transient Origins origins;

    /** Allows these origins, such as {@code https://chat.example.org}. */
    public FrontFilter(Collection<String> origins) {
        this.origins = checked(origins);
    }

    /** Refuses a malformed origin, and names the setting. */
    public static void refuseUnlessOrigins(Collection<String> origins) {
        checked(origins);
    }

    private static Origins checked(Collection<String> origins) {
        try {
            return Origins.of(true, origins.toArray(String[]::new));
        } catch (PostriderException e) {
            throw PostriderException.refused("postrider.http." + e.getMessage());
        }
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean isApi = isApi(RequestPath.of(request));
        secure(request, response, isApi);
        if (request.getRequestURI().indexOf(';') >= 0) {
            Problems.write(response, semicolon());
            return;
        }
        if (!request.getMethod().equals("POST") && BodyReader.hasBody(request)) {
            Problems.write(
                    response,
                    Problem.of(400, "only POST requests may have a body", "Send it without one.")
                            .withHeader("Connection", "close"));
            return;
        }
        if (request.getProtocol().equals("HTTP/1.0") && request.getHeader("Transfer-Encoding") != null) {
            Problems.write(
                    response,
                    Problem.of(400, "HTTP/1.0 has no Transfer-Encoding", "Send Content-Length, or use HTTP/1.1.")
                            .withHeader("Connection", "close"));
            return;
        }
        @Nullable String origin = request.getHeader("Origin");
        if (isApi && origin != null) {
            if (!origins.allows(origin, request.getHeader("Host"), request.isSecure())) {
                Problems.write(
                        response,
                        Problem.forbidden(
                                "this origin is not allowed (CORS)",
                                "The operator can name it in postrider.http.origins."));
                return;
            }
            response.setHeader("Access-Control-Allow-Origin", origin);
            response.setHeader("Access-Control-Expose-Headers", "Retry-After");
            response.addHeader("Vary", "Origin");
            if (isPreflight(request)) {
                preflight(response);
                return;
            }
        }
        chain.doFilter(request, response);
    }

    /** The container cuts off the path at a ';' as a path parameter: a request for a;b would act on a. */
    private static Problem semicolon() {
        return Problem.of(400, "the path must not contain ';'", "Remove it: no name on this server contains one.");
    }

    private static boolean isApi(String path) {
        return path.equals("/v1") || path.startsWith("/v1/");
    }

    private static boolean isPreflight(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS") && request.getHeader("Access-Control-Request-Method") != null;
    }

    private static void preflight(HttpServletResponse response) {
        response.setHeader("Access-Control-Allow-Methods", "GET, POST");
        response.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID");
        response.setHeader("Access-Control-Max-Age", "600");
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private static void secure(HttpServletRequest request, HttpServletResponse response, boolean isApi) {
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Resource-Policy", isApi ? "cross-origin" : "same-origin");
        // A page may set its own header, which replaces this one.
        response.setHeader(
                "Content-Security-Policy",
                isApi ? "default-src 'none'; frame-ancestors 'none'" : "frame-ancestors 'none'");
        if (isApi) {
            response.setHeader("Cache-Control", "no-store");
        }
        if (request.isSecure()) {
            response.setHeader("Strict-Transport-Security", "max-age=31536000");
        }
    }
}
