package io.postrider.server.api;

import io.postrider.PostriderException;
import io.postrider.db.JsonText;
import io.postrider.db.SqlState;
import io.postrider.gateway.Refusal;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An answer that is an error, as {@code application/problem+json}: what is wrong, and what to do next. It never holds a stack
 * trace, nor what the database said of itself: that is in the server's log, under a reference that the answer names.
 */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Logger log = LoggerFactory.getLogger(Problem.class);

    /** The media type of {@link #json}. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** What a statement gets that was ended because it took too long. */
    private static final String TOOK_TOO_LONG = "57014";

    private final int status;
    private final String title;
    private final String next;
    private final transient Map<String, String> headers = new TreeMap<>();

    private Problem(int status, String title, String detail, String next) {
        super(clean(detail), null, false, false); // an answer, not a fault
        this.status = status;
        this.title = title;
        this.next = next;
    }

    /** A detail may repeat what a client sent, and must not steer the screen that shows it: U+202E reverses what follows. */
    private static String clean(String detail) {
        return detail.codePoints()
                .map(c -> switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR,
                            Character.SURROGATE -> '?';
                    default -> c;
                })
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** A status, with what is wrong and what to do about it. */
    public static Problem of(int status, String detail, String next) {
        return new Problem(status, titleOf(status), detail, next);
    }

    /** What was sent is not what the route takes. */
    public static Problem badRequest(String detail) {
        return of(400, detail, "Correct the request; /v1/openapi.json tells what it takes.");
    }

    /** There is no such thing, or none that this token reaches: the two look the same. */
    public static Problem notFound(String what) {
        return of(404, what + " is not there, or not in reach of this token", "Check the name, and the token's reach.");
    }

    /** The token does not reach so far. */
    public static Problem forbidden(String detail, String next) {
        return of(403, detail, next);
    }

    /** One payload is; a whole body that is too large is not read so far. */
    static Problem payloadTooLarge(String detail) {
        return of(
                413,
                detail,
                "Store it elsewhere and send a reference to it; the operator can raise postrider.payload-cap.");
    }

    /** Nobody is known by this. */
    public static Problem unauthorized(String detail) {
        Problem problem = of(401, detail, "Send a valid token: Authorization: Bearer …");
        problem.headers.put("WWW-Authenticate", "Bearer realm=\"postrider\"");
        return problem;
    }

    /** Whatever was thrown, as an answer. */
    public static Problem of(Throwable e) {
        if (e instanceof Problem problem) {
            return problem;
        }
        if (e instanceof Refusal refusal) {
            return ofRefusal(refusal);
        }
        return e instanceof PostriderException ours ? ofOurs(ours) : unexpected(e);
    }

    private static Problem ofRefusal(Refusal refusal) {
        if (refusal.status() == 401) {
            return unauthorized(refusal.detail());
        }
        Problem problem = of(refusal.status(), refusal.detail(), refusal.next());
        if (refusal.retryAfter() != null) {
            problem.headers.put(
                    "Retry-After",
                    Long.toString(Math.max(1, refusal.retryAfter().toSeconds())));
        }
        return problem;
    }

    private static Problem ofOurs(PostriderException e) {
        String message = String.valueOf(e.getMessage());
        boolean isData = SqlState.of(e).startsWith("22") || SqlState.of(e).startsWith("23");
        if (SqlState.of(e).equals(TOOK_TOO_LONG)) {
            return busy(e);
        }
        if (SqlState.constraintOf(e).equals("payload_is_under_the_cap")) {
            return payloadTooLarge("a payload has more bytes than one may have, as the database writes it: with a space"
                    + " after each colon and comma");
        }
        if (isData) {
            return badRequest("the database does not take it: " + message);
        }
        if (e.getCause() instanceof SQLTransientConnectionException) {
            return unreachable(e); // no connection of the pool was free in time
        }
        if (e.getCause() instanceof SQLException && e.kind() != PostriderException.Kind.UNREACHABLE) {
            return unexpected(e);
        }
        return switch (e.kind()) {
            case REFUSED -> badRequest(message);
            case NOT_FOUND -> of(404, message, "Check the name.");
            case CONFLICT -> of(409, message, "Do as it says, or try again later.");
            case UNREACHABLE -> unreachable(e);
            case FAILED -> unexpected(e);
        };
    }

    /** A read that took too long, which is for whoever asks to mend. */
    static Problem ofRead(PostriderException e) {
        return SqlState.of(e).equals(TOOK_TOO_LONG)
                ? badRequest("this takes longer than a read may; narrow the time, or what is asked for")
                : of(e);
    }

    /** What changes something was ended by a time-out, or by somebody: there is nothing about it to narrow. */
    private static Problem busy(Throwable e) {
        log.warn("request_failed error=\"{}\"", e.getMessage());
        return of(503, "the database did not do it in time", "Try again after the time in Retry-After.")
                .withHeader("Retry-After", "1");
    }

    private static Problem unreachable(Throwable e) {
        log.warn("request_failed error=\"{}\"", e.getMessage());
        Problem problem = of(503, "the database cannot be reached", "Try again after the time in Retry-After.");
        problem.headers.put("Retry-After", "1");
        return problem;
    }

    private static Problem unexpected(Throwable e) {
        String reference = UUID.randomUUID().toString();
        log.error("request_failed reference={}", reference, e);
        return of(
                500, "this should not have happened; reference " + reference, "Ask the operator, with the reference.");
    }

    private static String titleOf(int status) {
        return switch (status) {
            case 400 -> "Bad request";
            case 401 -> "Not authenticated";
            case 403 -> "Not allowed";
            case 404 -> "Not found";
            case 405 -> "Method not allowed";
            case 406 -> "Not acceptable";
            case 409 -> "Conflict";
            case 413 -> "Content too large";
            case 414 -> "Address too long";
            case 415 -> "Unsupported media type";
            case 429 -> "Too many requests";
            case 431 -> "Request header fields too large";
            case 503 -> "Not available";
            default -> status < 500 ? "Request refused" : "Server error";
        };
    }

    public int status() {
        return status;
    }

    /** Headers that go with it. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The same with a header. */
    public Problem withHeader(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** The body. */
    public String json() {
        @Nullable String detail = getMessage();
        return "{\"type\":\"urn:postrider:problem:" + status + "\",\"title\":" + JsonText.quoted(title) + ",\"status\":"
                + status + ",\"detail\":" + JsonText.quoted(String.valueOf(detail)) + ",\"next\":"
                + JsonText.quoted(next) + "}";
    }
}
