package io.postrider.server.http;

import io.postrider.server.api.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes a problem as an answer. */
final class Problems {
    private Problems() {}

    static void write(HttpServletResponse response, Problem problem) throws IOException {
        if (response.isCommitted()) {
            return; // part of an answer has been sent: too late for an error
        }
        response.resetBuffer();
        problem.headers().forEach(response::setHeader);
        byte[] body = problem.json().getBytes(StandardCharsets.UTF_8);
        response.setStatus(problem.status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.getOutputStream().write(body); // without a length, see AnswerValve
    }
}
