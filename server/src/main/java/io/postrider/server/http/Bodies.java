package io.postrider.server.http;

import io.postrider.server.api.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Enumeration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks a request's headers before its body is read, where possible; a body is never read beyond the cap. */
final class Bodies {
    private Bodies() {}

    /** Only JSON is accepted: a page of another origin can send a form or plain text without a CORS preflight. */
    static void refuseUnlessJson(HttpServletRequest request) {
        String type = request.getContentType();
        boolean empty = request.getContentLengthLong() == 0
                || (request.getContentLengthLong() < 0 && request.getHeader("Transfer-Encoding") == null);
        if (type == null && empty) {
            return;
        }
        String plain = type == null
                ? ""
                : type.toLowerCase(Locale.ROOT).replace(" ", "").replace("\"", "");
        if (!plain.equals("application/json") && !plain.equals("application/json;charset=utf-8")) {
            throw Problem.of(415, "the body must be application/json in UTF-8", "Set Content-Type: application/json.");
        }
        @Nullable String encoding = request.getHeader("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw Problem.of(415, "compressed bodies are not supported", "Send it without Content-Encoding.");
        }
    }

    static void refuseLong(HttpServletRequest request, int cap) {
        if (request.getContentLengthLong() > cap) {
            throw tooLarge(cap);
        }
    }

    /** Answers are always JSON. */
    static void refuseAccept(HttpServletRequest request) {
        Enumeration<String> accepts = request.getHeaders("Accept");
        if (!accepts.hasMoreElements()) {
            return;
        }
        while (accepts.hasMoreElements()) {
            for (String range : accepts.nextElement().split(",", -1)) {
                String type = range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
                if (type.equals("application/json") || type.equals("*/*") || type.equals("application/*")) {
                    return;
                }
            }
        }
        throw Problem.of(406, "answers are application/json", "Send Accept: application/json, or no Accept at all.");
    }

    static Problem tooLarge(int cap) {
        return Problem.of(
                        413,
                        "the body has more than " + cap + " bytes",
                        "Send less at once; the operator can raise postrider.payload-cap.")
                .withHeader("Connection", "close");
    }
}
