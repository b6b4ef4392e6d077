package io.postrider.livechat;

import org.jspecify.annotations.Nullable;

/** A refused request: why, and what to do next. Becomes {@code application/problem+json}. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String title;
    private long retryAfter = 1;

    private Refusal(int status, String title, String detail) {
        this(status, title, detail, null);
    }

    private Refusal(int status, String title, String detail, @Nullable Throwable cause) {
        super(detail, cause);
        this.status = status;
        this.title = title;
    }

    int status() {
        return status;
    }

    String title() {
        return title;
    }

    /** In seconds; for 429. */
    long retryAfter() {
        return retryAfter;
    }

    public static Refusal badRequest(String detail) {
        return new Refusal(400, "Bad request", detail);
    }

    static Refusal unauthorized() {
        return new Refusal(
                401, "No valid token", "Send Authorization: Bearer with a token from POST /chat/api/session.");
    }

    static Refusal forbidden(String detail) {
        return new Refusal(403, "Not allowed", detail);
    }

    static Refusal notFound(String detail) {
        return new Refusal(404, "Not found", detail);
    }

    /** Not the caller's fault: the same request may succeed later. */
    static Refusal notNow(String detail, Throwable cause) {
        return new Refusal(503, "Not now", detail, cause);
    }

    static Refusal tooLarge(int most) {
        return new Refusal(413, "Too large", "The body may have at most " + most + " bytes; send fewer at once.");
    }

    static Refusal late(long seconds) {
        return new Refusal(408, "Too slow", "The body did not arrive within " + seconds + " seconds; send it faster.");
    }

    static Refusal busy() {
        return new Refusal(503, "Not now", "Too much is being read or written; try again in a moment.");
    }

    static Refusal full(int most) {
        return new Refusal(
                503, "Not now", "More than " + most + " messages wait to be saved; send these again in a moment.");
    }

    /** The asker's own doing: others are served meanwhile. */
    static Refusal tooMany(String detail, long retryAfterSeconds) {
        Refusal refusal = new Refusal(429, "Too many", detail);
        refusal.retryAfter = retryAfterSeconds;
        return refusal;
    }

    static Refusal wrongType() {
        return new Refusal(415, "Wrong content type", "Send the body as Content-Type: application/json.");
    }
}
