package io.postrider.server.http;

import io.postrider.server.api.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;

/** Reports the container's own errors in our format: a malformed request that reaches no servlet, or a missing page. */
public final class ProblemValve extends ErrorReportValve {
    /** The container's message, in the locale of this machine. */
    private static final String HEADER_TOO_LARGE =
            StringManager.getManager("org.apache.coyote.http11").getString("iib.requestheadertoolarge.error");

    @Override
    protected void report(Request request, Response response, @Nullable Throwable throwable) {
        if (isHeaderTooLarge(throwable)) {
            response.setStatus(431); // the container answers 400 to every request that it cannot parse
        }
        int status = response.getStatus();
        if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        byte[] body = Problem.of(status, detail(status), next(status)).json().getBytes(StandardCharsets.UTF_8);
        try {
            response.setContentType(Problem.MEDIA_TYPE);
            response.getOutputStream().write(body); // AnswerValve sends it
        } catch (IOException | IllegalStateException e) {
            // the client is gone
        }
    }

    private static boolean isHeaderTooLarge(@Nullable Throwable throwable) {
        return throwable != null && HEADER_TOO_LARGE.equals(throwable.getMessage());
    }

    private static String detail(int status) {
        return switch (status) {
            case 400 -> "the request is not valid HTTP";
            case 404 -> "no route matches this address";
            case 405 -> "this method is not allowed here";
            case 413 -> "the content is too large";
            case 414 -> "the address is too long";
            case 431 -> "the headers are larger than the server's limit";
            case 501 -> "the method CONNECT, or the Transfer-Encoding of the body, is not supported";
            case 505 -> "this version of HTTP is not supported";
            default -> status < 500 ? "the request was refused" : "internal error";
        };
    }

    private static String next(int status) {
        return switch (status) {
            case 404, 405 -> "/v1/openapi.json lists all routes.";
            case 431 -> "Send fewer or shorter headers: 16 KiB in all.";
            case 501 -> "Use another method, or send the body with Content-Length or Transfer-Encoding: chunked.";
            case 505 -> "Use HTTP/1.1.";
            default -> status < 500 ? "Correct the request." : "Report it to the operator.";
        };
    }
}
