package io.postrider.server.api;

import io.postrider.JsonText;
import io.postrider.PostriderException;
import io.postrider.gateway.Refusal;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An error answer as {@code application/problem+json}: what is wrong, and what to do next. It never contains a stack
 * trace or a message of the database: those are in the server's log, under a reference that the answer names.
 */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Logger log = LoggerFactory.getLogger(Problem.class);

    /** The media type of {@link #json}. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** The SQLSTATE of a statement that was cancelled because it took too long. */
    private static final String TOOK_TOO_LONG = "57014";

    /** Temporary conflicts with another session: lock timeout, deadlock, serialization failure. */
    private static final Set<String> CONTENTION = Set.of("55P03", "40P01", "40001");

    private final int status;
    private final String title;
    private final String next;
    private final transient Map<String, String> headers = new TreeMap<>();

    private Problem(int status, String title, String detail, String next) {
        super(clean(detail), null, false, false); // no stack trace: this is an answer, not a fault
        this.status = status;
        this.title = title;
        this.next = next;
    }

    /** A detail may repeat client input, which must not control the terminal that shows it: U+202E reverses the text after it. */
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

    /** The request does not match what the route accepts. */
    public static Problem badRequest(String detail) {
        return of(400, detail, "Correct the request; /v1/openapi.json describes it.");
    }

    /** The object is missing, or outside the token's reach; the answer does not say which. */
    public static Problem notFound(String what) {
        return of(
                404,
                what + " does not exist, or is outside the reach of this token",
                "Check the name and the token's reach.");
    }

    /** The token's reach does not suffice. */
    public static Problem forbidden(String detail, String next) {
        return of(403, detail, next);
    }

    /** For a single payload; a body that is too large as a whole is refused earlier. */
    static Problem payloadTooLarge(String detail) {
        return of(
                413,
                detail,
                "Store it elsewhere and send a reference to it; the operator can raise postrider.payload-cap.");
    }

    /** The token is missing or invalid. */
    public static Problem unauthorized(String detail) {
        Problem problem = of(401, detail, "Send a valid token: Authorization: Bearer …");
        problem.headers.put("WWW-Authenticate", "Bearer realm=\"postrider\"");
        return problem;
    }

    /** Turns any exception into an answer. */
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
        boolean isData = e.sqlState().startsWith("22") || e.sqlState().startsWith("23");
        if (e.sqlState().equals(TOOK_TOO_LONG)) {
            return busy(e);
        }
        if (CONTENTION.contains(e.sqlState())) {
            return locked(e);
        }
        if (isOverTheCap(e)) {
            return payloadTooLarge("a payload is larger than the payload cap, measured as PostgreSQL writes it: with a"
                    + " space after each colon and comma");
        }
        if (isData) {
            return badRequest("the database refused the data: " + message);
        }
        if (e.getCause() instanceof SQLTransientConnectionException) {
            return unreachable(e); // no connection of the pool became free in time
        }
        if (e.getCause() instanceof SQLException && e.kind() != PostriderException.Kind.UNREACHABLE) {
            return unexpected(e);
        }
        return switch (e.kind()) {
            case REFUSED -> badRequest(message);
            case NOT_FOUND -> of(404, message, "Check the name.");
            case CONFLICT -> of(409, message, "Resolve the conflict that is described in detail, or try again later.");
            case UNREACHABLE -> unreachable(e);
            case FAILED -> unexpected(e);
        };
    }

    private static boolean isOverTheCap(PostriderException error) {
        for (Throwable e = error; e != null; e = e.getCause()) {
            ServerErrorMessage message = e instanceof PSQLException sql ? sql.getServerErrorMessage() : null;
            if (message != null && "payload_is_under_the_cap".equals(message.getConstraint())) {
                return true;
            }
        }
        return false;
    }

    /** A read that took too long; the caller can narrow it. */
    static Problem ofRead(PostriderException e) {
        return e.sqlState().equals(TOOK_TOO_LONG)
                ? badRequest("the read timed out; choose a shorter time range or a narrower filter")
                : of(e);
    }

    /** A write was cancelled by a timeout or by an operator; the caller cannot narrow it. */
    private static Problem busy(Throwable e) {
        log.warn("request_failed error=\"{}\"", e.getMessage());
        return of(503, "the database did not finish in time", "Try again after the time in Retry-After.")
                .withHeader("Retry-After", "1");
    }

    /** Not 409: a client could take that for a job that already exists, and never send it again. */
    private static Problem locked(Throwable e) {
        log.warn("request_failed error=\"{}\"", e.getMessage());
        return of(
                        503,
                        "another transaction that has not ended holds a lock on the same unique key, job, queue,"
                                + " listener or table",
                        "Try again after the time in Retry-After. Other requests are not affected. If it lasts, the"
                                + " operator finds the transaction in pg_stat_activity.")
                .withHeader("Retry-After", "2");
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
        return of(500, "internal error; reference " + reference, "Report the reference to the operator.");
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
            case 501 -> "Not implemented";
            case 503 -> "Not available";
            case 505 -> "HTTP version not supported";
            default -> status < 500 ? "Request refused" : "Server error";
        };
    }

    public int status() {
        return status;
    }

    /** Headers of the answer. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The same problem with a header. */
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
