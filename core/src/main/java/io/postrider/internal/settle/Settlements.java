package io.postrider.internal.settle;

import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.StackTraceText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements that settle jobs. A job of a claim is settled by positions in {@code settlement}, together with others of the same
 * fate; a delayed job by its own row ({@link DelayedSettlements}). Safe to share.
 */
public final class Settlements {
    private static final Sql SETTLE = Sql.call(
            "settle/settle",
            "select postrider.settle(:worker, :ns, :positions::pg_catalog.int8multirange[], :fates, :results::pg_catalog.jsonb[], :job, :topics) as settled");
    private static final Sql PUT_ASIDE = Sql.file("settle/put_aside");
    private static final Sql BURY = Sql.file("settle/bury");
    private static final Sql BURY_BARE = Sql.file("settle/bury_bare");
    private static final Sql FORGET_CANCELLED = Sql.call(
            "settle/forget_cancelled",
            "select postrider.forget_cancelled(:topics, :positions)::pg_catalog.text as forgotten");
    private static final Sql RELEASE_UNIQUE = Sql.call(
            "settle/release_unique",
            "select postrider.release_unique(:topics, :projects, :keys, :ids)::pg_catalog.text as released");

    /** The code of a dead job whose content cannot be copied: its dead letter has none. */
    static final String UNREADABLE = "unreadable";

    private final ProgressReports progress;

    public Settlements(ProgressReports progress) {
        this.progress = progress;
    }

    /** Settles a job in the transaction of its handler. */
    public Settled settleInHandler(Session session, EndedJob one) {
        if (one.heldJob().isDelayed()) {
            return DelayedSettlements.refusal(session, one.heldJob()).orElseGet(() -> settleDelayed(session, one));
        }
        Settled settled = settle(
                session,
                one.heldJob().worker(),
                List.of(one),
                one.heldJob().job().id());
        if (settled == Settled.WRITTEN || settled == Settled.ALREADY_WRITTEN) {
            cleanUp(session, List.of(one), Set.of());
        }
        return settled;
    }

    private Settled settleDelayed(Session session, EndedJob one) {
        if (!DelayedSettlements.write(session, one)) {
            return Settled.LOST;
        }
        cleanUp(session, List.of(one), Set.of());
        return Settled.WRITTEN;
    }

    /** Settles jobs. Returns those that do not belong to this worker any more. */
    Set<EndedJob> write(Session session, List<EndedJob> batch) {
        Set<EndedJob> lost = new HashSet<>();
        Set<EndedJob> settledBefore = new HashSet<>();
        Map<Long, List<EndedJob>> byWorker = new TreeMap<>();
        for (EndedJob one : batch) {
            if (one.heldJob().isDelayed()) {
                if (!DelayedSettlements.write(session, one)) {
                    (DelayedSettlements.isSettledBefore(session, one) ? settledBefore : lost).add(one);
                }
            } else if (one.ownRow()) {
                if (settle(session, one.heldJob().worker(), List.of(one), null) == Settled.LOST) {
                    lost.add(one);
                }
            } else {
                byWorker.computeIfAbsent(one.heldJob().worker(), worker -> new ArrayList<>())
                        .add(one);
            }
        }
        byWorker.forEach((worker, jobs) -> {
            if (settle(session, worker, jobs, null) == Settled.LOST) {
                lost.addAll(jobs);
            }
        });
        // The first commit has cleaned up after the others. The job may run again since, with its unique key.
        cleanUp(
                session,
                batch.stream().filter(one -> !settledBefore.contains(one)).toList(),
                lost);
        return lost;
    }

    /** @param job the job in whose handler's transaction this is; null if it is in a transaction of the settler */
    private static Settled settle(Session session, long worker, List<EndedJob> jobs, @Nullable UUID job) {
        List<SettlementRow> rows = SettlementRow.of(jobs);
        Settled settled = session.one(
                        SETTLE,
                        bind -> bind.int8("worker", worker)
                                .int8s("ns", rows.stream().map(SettlementRow::n).toList())
                                .texts(
                                        "positions",
                                        rows.stream()
                                                .map(SettlementRow::positions)
                                                .toList())
                                .texts(
                                        "fates",
                                        rows.stream()
                                                .map(row -> row.fate().sql())
                                                .toList())
                                .texts(
                                        "results",
                                        rows.stream()
                                                .map(SettlementRow::results)
                                                .toList())
                                .uuid("job", job)
                                .texts(
                                        "topics",
                                        rows.stream().map(SettlementRow::topic).toList()),
                        row -> Settled.of(row.text("settled")))
                .orElseThrow();
        if (settled == Settled.WRITTEN) {
            delay(session, jobs);
            bury(session, BURY, dead(jobs, false));
            bury(session, BURY_BARE, dead(jobs, true));
        }
        return settled;
    }

    /** Gives each delayed job its row in {@code delayed}. */
    private static void delay(Session session, List<EndedJob> jobs) {
        Map<String, List<EndedJob>> byTopic = new TreeMap<>();
        for (EndedJob one : jobs) {
            if (one.outcome() instanceof Outcome.Delayed) {
                byTopic.computeIfAbsent(one.heldJob().topic(), topic -> new ArrayList<>())
                        .add(one);
            }
        }
        byTopic.forEach((topic, members) -> {
            List<Outcome.Delayed> delayed =
                    members.stream().map(one -> (Outcome.Delayed) one.outcome()).toList();
            session.query(
                    PUT_ASIDE,
                    bind -> bind.text("topic", topic)
                            .int8s("positions", EndedJob.positions(members))
                            .texts(
                                    "whys",
                                    delayed.stream()
                                            .map(one -> one.reason().sql())
                                            .toList())
                            .int8s(
                                    "waits",
                                    delayed.stream()
                                            .map(one -> one.delay().toMillis())
                                            .toList())
                            .int8s(
                                    "attempts",
                                    delayed.stream()
                                            .map(one -> one.counted() ? 1L : 0L)
                                            .toList())
                            .texts(
                                    "codes",
                                    delayed.stream().map(Outcome.Delayed::code).toList())
                            .texts(
                                    "errors",
                                    delayed.stream().map(Outcome.Delayed::error).toList())
                            .texts("stacks", stackTraces(delayed)),
                    row -> true);
        });
    }

    private static List<EndedJob> dead(List<EndedJob> jobs, boolean bare) {
        return jobs.stream()
                .filter(one -> one.outcome() instanceof Outcome.Dead dead
                        && dead.code().equals(UNREADABLE) == bare)
                .toList();
    }

    private static void bury(Session session, Sql how, List<EndedJob> jobs) {
        if (jobs.isEmpty()) {
            return;
        }
        List<Outcome.Dead> dead =
                jobs.stream().map(one -> (Outcome.Dead) one.outcome()).toList();
        session.update(how, bind -> {
            bind.texts("topics", EndedJob.topics(jobs))
                    .int8s("positions", EndedJob.positions(jobs))
                    .int8s(
                            "attempts",
                            jobs.stream()
                                    .map(one -> (long) one.heldJob().job().attempt())
                                    .toList())
                    .texts("codes", dead.stream().map(Outcome.Dead::code).toList())
                    .texts("errors", dead.stream().map(Outcome.Dead::error).toList())
                    .texts("stacks", stackTraces(dead));
            if (how == BURY_BARE) {
                bind.uuids("ids", ids(jobs));
            }
        });
    }

    private static List<@Nullable String> stackTraces(List<? extends Outcome> outcomes) {
        return outcomes.stream()
                .<@Nullable String>map(one -> StackTraceText.of(one.cause()))
                .toList();
    }

    /** Removes what jobs that have ended leave behind: unique keys, requests to cancel them, reports of their progress. */
    private void cleanUp(Session session, List<EndedJob> batch, Set<EndedJob> lost) {
        // Of a job that another worker has taken over, nothing: a request to cancel it is for that worker.
        List<EndedJob> ours = lost.isEmpty()
                ? batch
                : batch.stream().filter(one -> !lost.contains(one)).toList();
        releaseUnique(session, ours);
        List<EndedJob> cancelRequested =
                ours.stream().filter(EndedJob::cancelRequested).toList();
        if (!cancelRequested.isEmpty()) {
            session.call(
                    FORGET_CANCELLED,
                    bind -> bind.texts("topics", EndedJob.topics(cancelRequested))
                            .int8s("positions", EndedJob.positions(cancelRequested)));
        }
        progress.delete(session, ours);
    }

    private static void releaseUnique(Session session, List<EndedJob> ended) {
        List<EndedJob> finished = ended.stream()
                .filter(one -> one.heldJob().uniqueKey() != null && !(one.outcome() instanceof Outcome.Delayed))
                .toList();
        if (!finished.isEmpty()) {
            session.call(
                    RELEASE_UNIQUE,
                    bind -> bind.texts("topics", EndedJob.topics(finished))
                            .texts(
                                    "projects",
                                    finished.stream()
                                            .<@Nullable String>map(
                                                    one -> one.heldJob().job().projectId())
                                            .toList())
                            .texts(
                                    "keys",
                                    finished.stream()
                                            .<@Nullable String>map(
                                                    one -> one.heldJob().uniqueKey())
                                            .toList())
                            .uuids("ids", ids(finished)));
        }
    }

    private static List<UUID> ids(List<EndedJob> jobs) {
        return jobs.stream().map(one -> one.heldJob().job().id()).toList();
    }
}
