package io.postrider.gateway.jakarta;

import io.postrider.gateway.Refusal;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A refusal as an answer over HTTP. */
final class Problems {
    private Problems() {}

    static void send(HttpServletResponse response, Refusal refusal) throws IOException {
        response.setStatus(refusal.status());
        response.setContentType(Refusal.MEDIA_TYPE);
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (refusal.why() == Refusal.Why.UNAUTHORIZED) {
            response.setHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"");
        }
        Duration after = refusal.retryAfter();
        if (after != null) {
            response.setHeader("Retry-After", Long.toString(after.toSeconds()));
        }
        byte[] body = refusal.problem().getBytes(StandardCharsets.UTF_8);
        response.getOutputStream().write(body); // without a length, so that Tomcat leaves it in its buffer
    }
}
