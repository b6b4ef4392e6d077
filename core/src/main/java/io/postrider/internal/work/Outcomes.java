package io.postrider.internal.work;

import io.postrider.ClaimedJob;
import io.postrider.Fate;
import io.postrider.PostriderException;
import io.postrider.UnavailableException;
import io.postrider.Worker;
import io.postrider.internal.settle.DelayReason;
import io.postrider.internal.settle.Outcome;
import io.postrider.internal.watch.ErrorCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Turns the fate that a handler gave a job, or its exception, into the outcome that is written, by the type's retry policy. */
final class Outcomes {
    /** An error is kept for a person to read, not as a dump. */
    private static final int LONGEST_ERROR = 4_000;

    private Outcomes() {}

    static Outcome of(Worker.Kind kind, ClaimedJob job, @Nullable Fate fate) {
        if (fate instanceof Fate.Done done) {
            return new Outcome.Done(done.result());
        }
        if (fate instanceof Fate.Snooze snooze) {
            return new Outcome.Delayed(DelayReason.SNOOZE, snooze.in());
        }
        if (fate instanceof Fate.Unavailable away) {
            return unavailable(away.retryAfter(), away.reason());
        }
        if (fate instanceof Fate.Dead dead) {
            return new Outcome.Dead(dead.code() == null ? "dead" : dead.code(), oneLine(dead.reason()));
        }
        if (fate instanceof Fate.Cancel cancel) {
            return new Outcome.Cancelled(oneLine(cancel.reason()));
        }
        if (fate instanceof Fate.Retry retry) {
            return failure(kind, job, retry.in(), requested(retry));
        }
        return failure(
                kind,
                job,
                null,
                new Failure("no_fate", "the handler returned null instead of a fate, such as Fate.done()", null));
    }

    private static Failure requested(Fate.Retry retry) {
        return new Failure(
                retry.code() == null ? "retry" : retry.code(),
                retry.message() == null ? "the handler asked for a retry" : oneLine(retry.message()),
                retry.error());
    }

    private static Outcome unavailable(Duration retryAfter, String reason) {
        return new Outcome.Delayed(DelayReason.UNAVAILABLE, retryAfter, false, "unavailable", oneLine(reason), null);
    }

    static Outcome timedOut(Worker.Kind kind, ClaimedJob job, Duration timeout, Throwable e) {
        return failure(kind, job, null, new Failure("timeout", "it took longer than its timeout of " + timeout, e));
    }

    static Outcome thrown(Worker.Kind kind, ClaimedJob job, Throwable e) {
        if (e instanceof UnavailableException away) {
            return unavailable(away.retryAfter(), String.valueOf(away.getMessage()));
        }
        String text = e instanceof PostriderException ? String.valueOf(e.getMessage()) : e.toString();
        return failure(kind, job, null, new Failure(ErrorCode.of(e), oneLine(text), e));
    }

    private record Failure(
            String code, String error, @Nullable Throwable cause) {}

    /** @param wait until the next attempt; null to let the retry policy decide */
    private static Outcome failure(Worker.Kind kind, ClaimedJob job, @Nullable Duration wait, Failure failure) {
        return kind.retry()
                .after(job.attempt())
                .<Outcome>map(policy -> new Outcome.Delayed(
                        DelayReason.RETRY,
                        wait == null ? policy : wait,
                        true,
                        failure.code(),
                        failure.error(),
                        failure.cause()))
                .orElseGet(() -> new Outcome.Dead(failure.code(), failure.error(), failure.cause()));
    }

    /** The text as one line that PostgreSQL can store. */
    private static String oneLine(String text) {
        String clean = text.replace('\0', '?').replaceAll("\\p{Cntrl}+", " ");
        return clean.length() <= LONGEST_ERROR ? clean : clean.substring(0, LONGEST_ERROR);
    }
}
