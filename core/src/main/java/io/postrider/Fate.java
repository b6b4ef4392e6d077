package io.postrider;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What becomes of a job: a value that its handler gives back. A handler that throws has said {@link #retry()}. */
public sealed interface Fate {
    /** It is finished. */
    static Fate done() {
        return Done.PLAIN;
    }

    /** It is finished, and this is what came of it, as JSON text: kept with the job's history. */
    static Fate done(String result) {
        Json.refuseUnlessJson("result", Refuse.missing("result", result));
        return new Done(result);
    }

    /** It failed: again, when its type's retry policy says; after the last attempt it is dead. */
    static Fate retry() {
        return new Retry(null, null);
    }

    /** It failed: again after this long, if an attempt is left. */
    static Fate retry(Duration in) {
        return new Retry(refuseNegative("retry", in), null);
    }

    /** Not now: again after this long. No attempt is counted. */
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

    /** It failed for good: a dead letter, for this reason. */
    static Fate dead(String reason) {
        return new Dead(Refuse.missing("reason", reason));
    }

    /** It is not wanted any more: finished without having been done. */
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
    record Retry(@Nullable Duration in, @Nullable Throwable error) implements Fate {}

    /** See {@link #snooze}. */
    record Snooze(Duration in) implements Fate {}

    /** See {@link #unavailable}. */
    record Unavailable(Duration retryAfter, String reason) implements Fate {}

    /** See {@link #dead}. */
    record Dead(String reason) implements Fate {}

    /** See {@link #cancel}. */
    record Cancel(String reason) implements Fate {}
}
