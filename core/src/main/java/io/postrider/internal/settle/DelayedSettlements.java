package io.postrider.internal.settle;

import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.StackTraceText;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The statements that settle a delayed job. Its row in {@code delayed} is the fence, with the worker and the time of the claim: a
 * worker that has lost the claim settles nothing.
 */
final class DelayedSettlements {
    private static final Sql FINISH = Sql.call(
            "settle/finish_delayed",
            "select postrider.finish_delayed(:topic, :position, :worker, :attempt, :fate, :result::pg_catalog.jsonb, :claimed_at) as ours");
    private static final Sql DELAY_AGAIN = Sql.call(
            "settle/delay_again",
            "select postrider.delay_again(:topic, :position, :worker, :attempt, :why, :wait, :counted, :code, :error, :stack, :claimed_at) as ours");
    private static final Sql BURY = Sql.file("settle/bury_delayed");
    private static final Sql SETTLED_BEFORE = Sql.file("settle/settled_before");
    private static final Sql MAY_SETTLE =
            Sql.call("settle/may_settle", "select postrider.may_settle(:topic, :position, :job) as settled");

    private DelayedSettlements() {}

    /**
     * Why the transaction of the job's handler may not settle it; empty if it may. Locks the row first, so that a cancellation waits
     * for this transaction, or this transaction for the cancellation.
     */
    static Optional<Settled> refusal(Session session, HeldJob heldJob) {
        return session.one(
                        MAY_SETTLE,
                        bind -> bind.text("topic", heldJob.topic())
                                .int8("position", heldJob.job().position())
                                .text("job", heldJob.job().id().toString()),
                        row -> Optional.of(row.text("settled"))
                                .filter(word -> !word.equals("free"))
                                .map(Settled::of))
                .orElseThrow();
    }

    /** Settles one job. False if its row does not belong to this claim any more. */
    static boolean write(Session session, EndedJob one) {
        HeldJob heldJob = one.heldJob();
        if (one.outcome() instanceof Outcome.Delayed delayed) {
            return delayAgain(session, heldJob, delayed);
        }
        if (one.outcome() instanceof Outcome.Dead dead) {
            return bury(session, heldJob, dead);
        }
        return session.one(
                        FINISH,
                        bind -> fence(bind, heldJob)
                                .text("fate", SettlementFate.of(one.outcome()).sql())
                                .text("result", SettlementRow.result(one.outcome())),
                        row -> row.bool("ours"))
                .orElse(false);
    }

    /**
     * Whether this claim was settled before with the same fate, by a commit whose answer was lost. Asked after {@link #write} has
     * returned false; never in the transaction of a handler, whose effects would then be committed twice.
     */
    static boolean isSettledBefore(Session session, EndedJob one) {
        return session.one(
                        SETTLED_BEFORE,
                        bind -> fence(bind, one.heldJob())
                                .text("fate", SettlementFate.of(one.outcome()).sql())
                                .text("code", one.outcome() instanceof Outcome.Dead dead ? dead.code() : null),
                        row -> row.bool("settled"))
                .orElse(false);
    }

    private static boolean delayAgain(Session session, HeldJob heldJob, Outcome.Delayed delayed) {
        return session.one( // no row, like false: the job is not ours any more
                        DELAY_AGAIN,
                        bind -> fence(bind, heldJob)
                                .text("why", delayed.reason().sql())
                                .millis("wait", delayed.delay())
                                .bool("counted", delayed.counted())
                                .text("code", delayed.code())
                                .text("error", delayed.error())
                                .text("stack", StackTraceText.of(delayed.cause())),
                        row -> row.bool("ours"))
                .orElse(false);
    }

    private static boolean bury(Session session, HeldJob heldJob, Outcome.Dead dead) {
        return session.one(
                        BURY,
                        bind -> fence(bind, heldJob)
                                .text("code", dead.code())
                                .text("error", dead.error())
                                .text("stack", StackTraceText.of(dead.cause())),
                        row -> true)
                .isPresent();
    }

    private static Bind fence(Bind bind, HeldJob heldJob) throws SQLException {
        return bind.text("topic", heldJob.topic())
                .int8("position", heldJob.job().position())
                .int8("worker", heldJob.worker())
                .int4("attempt", heldJob.job().attempt())
                .instant("claimed_at", heldJob.claimedAt());
    }
}
