package io.postrider.gateway;

import io.postrider.JsonText;
import io.postrider.gateway.internal.SafeNames;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A refused request, with its HTTP status and a message. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The media type of {@link #problem}. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** The reason, with its HTTP status. */
    public enum Why {
        BAD_REQUEST(400, "Bad request", "Correct the request, and connect again."),
        UNAUTHORIZED(
                401, "Not authenticated", "Send a valid token: Authorization: Bearer …, or in a WebSocket's hello."),
        FORBIDDEN(403, "Not allowed", "Use a token with more reach, or a page from an allowed origin."),
        NOT_FOUND(404, "Not found", "Check the name; the operator configures which topics can be streamed."),
        METHOD_NOT_ALLOWED(405, "Method not allowed", "Use GET."),
        TOO_MANY(429, "Too many", "Close another connection, or try again after the time in Retry-After."),
        UNAVAILABLE(503, "Not available", "Try again after the time in Retry-After.");

        private final int status;
        private final String title;
        private final String next;

        Why(int status, String title, String next) {
            this.status = status;
            this.title = title;
            this.next = next;
        }

        public int status() {
            return status;
        }

        public String title() {
            return title;
        }
    }

    private final Why why;
    private final @Nullable Duration retryAfter;

    private Refusal(Why why, String detail, @Nullable Duration retryAfter) {
        super(detail, null, false, false); // an answer to a client, not a fault: no stack trace
        this.why = why;
        this.retryAfter = retryAfter;
    }

    /** A refusal of this kind. */
    public static Refusal of(Why why, String detail) {
        return new Refusal(why, detail, null);
    }

    /** Refuses the first unknown name with 400, so that typos are not silently ignored. */
    public static void refuseUnknown(String what, Collection<String> names, List<String> known) {
        for (String name : names) {
            if (!known.contains(name)) {
                throw badRequest(
                        "unknown " + what + " '" + SafeNames.shown(name) + "'; known: " + String.join(", ", known));
            }
        }
    }

    public static Refusal badRequest(String detail) {
        return new Refusal(Why.BAD_REQUEST, detail, null);
    }

    static Refusal unauthorized(String detail) {
        return new Refusal(Why.UNAUTHORIZED, detail, null);
    }

    static Refusal forbidden(String detail) {
        return new Refusal(Why.FORBIDDEN, detail, null);
    }

    static Refusal notFound(String detail) {
        return new Refusal(Why.NOT_FOUND, detail, null);
    }

    public static Refusal tooMany(String detail, Duration retryAfter) {
        return new Refusal(Why.TOO_MANY, detail, retryAfter);
    }

    public static Refusal unavailable(String detail, Duration retryAfter) {
        return new Refusal(Why.UNAVAILABLE, detail, retryAfter);
    }

    public Why why() {
        return why;
    }

    public int status() {
        return why.status;
    }

    /** When to retry, if known. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** What is wrong. */
    public String detail() {
        return String.valueOf(getMessage());
    }

    /** What to do about it. */
    public String next() {
        return why.next;
    }

    /**
     * As {@code application/problem+json}. It contains {@code retryAfter} in seconds, because a WebSocket frame has no headers.
     */
    public String problem() {
        return "{\"type\":\"urn:postrider:problem:" + why.status + "\",\"title\":" + JsonText.quoted(why.title)
                + ",\"status\":" + why.status + ",\"detail\":" + JsonText.quoted(detail()) + ",\"next\":"
                + JsonText.quoted(why.next)
                + (retryAfter == null ? "" : ",\"retryAfter\":" + retryAfter.toSeconds()) + "}";
    }
}
