package io.postrider;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a job, returned by its handler. A handler that throws has the same effect as {@link #retry()}, or, with
 * {@link UnavailableException}, as {@link #unavailable}. {@link CodedException} gives the failure a code.
 */
public sealed interface Fate {
    /** The job is finished. */
    static Fate done() {
        return Done.PLAIN;
    }

    /** The job is finished with this result, as JSON text. The result is kept in the history of the job. */
    static Fate done(String result) {
        Json.refuseUnlessJson("result", Refuse.missing("result", result));
        return new Done(result);
    }

    /** The job failed. It is retried by the retry policy of its type; after the last attempt it becomes a dead letter. */
    static Fate retry() {
        return new Retry(null, null, null, null);
    }

    /**
     * The same with a code that programs can compare and a message for people: {@code last_error_code} and
     * {@code last_error_message} of the job.
     *
     * @param code letters, digits and {@code . _ : -}, at most 100 characters; {@code unreadable} and {@code unwritable} are
     *     reserved
     */
    static Fate retry(String code, String message) {
        return new Retry(null, Refuse.unlessErrorCode(code), Refuse.missing("message", message), null);
    }

    /** The job failed. It is retried after this time if an attempt is left. 0..36,500 days, as for every wait here. */
    static Fate retry(Duration in) {
        return new Retry(refuseNegative("retry", in), null, null, null);
    }

    /** The same with a code and a message, as in {@link #retry(String, String)}. */
    static Fate retry(Duration in, String code, String message) {
        return new Retry(
                refuseNegative("retry", in), Refuse.unlessErrorCode(code), Refuse.missing("message", message), null);
    }

    /** The job cannot run now. It runs again after this time, and no attempt is counted. */
    static Fate snooze(Duration in) {
        return new Snooze(refuseNegative("snooze", in));
    }

    /**
     * A service that the job depends on is unavailable, such as a mail server; the job is retried after this time. No attempt is
     * ever counted, so an outage causes no dead letters. The reason is shown with the job meanwhile.
     */
    static Fate unavailable(Duration retryAfter, String reason) {
        return new Unavailable(refuseNegative("retry after", retryAfter), Refuse.missing("reason", reason));
    }

    /** The job failed permanently. It becomes a dead letter at once, with this reason. */
    static Fate dead(String reason) {
        return new Dead(null, Refuse.missing("reason", reason));
    }

    /** The same with a code, as in {@link #retry(String, String)}. */
    static Fate dead(String code, String message) {
        return new Dead(Refuse.unlessErrorCode(code), Refuse.missing("message", message));
    }

    /** The job is no longer needed. It ends as cancelled, with this reason. */
    static Fate cancel(String reason) {
        return new Cancel(Refuse.missing("reason", reason));
    }

    private static Duration refuseNegative(String what, Duration in) {
        return Refuse.outside(what, Refuse.missing(what, in), Duration.ZERO, Duration.ofDays(36_500));
    }

    /** See {@link #done()}. */
    record Done(@Nullable String result) implements Fate {
        static final Done PLAIN = new Done(null);
    }

    /** See {@link #retry()}. */
    record Retry(
            @Nullable Duration in,
            @Nullable String code,
            @Nullable String message,
            @Nullable Throwable error) implements Fate {}

    /** See {@link #snooze}. */
    record Snooze(Duration in) implements Fate {}

    /** See {@link #unavailable}. */
    record Unavailable(Duration retryAfter, String reason) implements Fate {}

    /** See {@link #dead(String)}. */
    record Dead(@Nullable String code, String reason) implements Fate {}

    /** See {@link #cancel}. */
    record Cancel(String reason) implements Fate {}
}
