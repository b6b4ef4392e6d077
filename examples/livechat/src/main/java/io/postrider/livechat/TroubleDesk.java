package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.admin.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Causes the requested trouble, and reports the state of everything meanwhile. */
final class TroubleDesk {
    /** Long enough to see that nothing else waits. */
    static final Duration HOLD = Duration.ofSeconds(20);

    /** One less than the number of attempts: the last attempt answers. */
    static final int FAILURES = 3;

    /** Messages that were accepted shortly before a failure may have been in the hands of the one that failed. */
    private static final Duration BEFORE = Duration.ofSeconds(1);

    private static final Duration AFTER = Duration.ofSeconds(30);

    private static final String LONGEST_WAIT =
            "select (max(extract(epoch from m.created_at - m.accepted_at)) * 1000)::bigint as millis"
                    + " from livechat.message m where m.accepted_at between ? and ? and m.created_at > ?"
                    + " and m.answers is null";

    private final Postrider postrider;
    private final DataSource dataSource;
    private final IngestQueue queue;
    private final Companion companion;
    private final HeldTransaction held;
    private final ConnectionCut cut;
    private final @Nullable Trouble trouble;
    private volatile @Nullable Kill killed;

    /** A worker that was killed, and when by the database's clock. */
    private record Kill(long pid, Instant at) {}

    TroubleDesk(
            Postrider postrider,
            DataSource dataSource,
            IngestQueue queue,
            Companion companion,
            HeldTransaction held,
            @Nullable Trouble trouble) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.queue = queue;
        this.companion = companion;
        this.held = held;
        this.cut = new ConnectionCut(dataSource);
        this.trouble = trouble;
    }

    // ── actions ─────────────────────────────────────────────────────────────────────────────────────────────────────

    boolean isAllowed() {
        return trouble != null;
    }

    /** Returns the pid; 0 if no worker was running. */
    long killWorker() throws SQLException {
        long pid = trouble == null ? 0 : trouble.killWorker();
        if (pid > 0) {
            killed = new Kill(pid, now());
        }
        return pid;
    }

    /** Returns how many connections were ended. */
    long cutDatabase() throws SQLException {
        return cut.all().connections();
    }

    int cutStreams(Set<String> users) {
        return trouble == null ? 0 : trouble.cutStreams(users);
    }

    HeldTransaction.Held hold(Guest guest) {
        return held.open(guest.project(), guest.user(), HOLD);
    }

    void failCompanion() throws SQLException {
        companion.failNext(FAILURES);
    }

    /** The database's clock: values that are compared with its columns must come from it. */
    private Instant now() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Rows.one(connection, "select clock_timestamp() as now", row -> Rows.instant(row, "now"))
                    .orElseThrow();
        }
    }

    // ── state ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * The state of everything.
     *
     * @param workers empty: the application does not supervise them
     * @param killed the last kill; null if there was none
     * @param cut the last cut of the database connections; null if there was none
     * @param held null if no transaction is held open
     * @param ahead null if messages are queued immediately
     * @param companion null if no failure was ever requested
     */
    record State(
            long position,
            List<Trouble.WorkerState> workers,
            @Nullable Outage killed,
            @Nullable Outage cut,
            HeldTransaction.@Nullable Held held,
            Ingestion.@Nullable Ahead ahead,
            IngestQueue.Line ingest,
            @Nullable Stumble companion) {}

    /**
     * What a failure has cost.
     *
     * @param count the pid of the worker, or the number of connections
     * @param longestWait of a message that was accepted around that time, from then until it was saved, in milliseconds; null if
     *     there was none
     */
    record Outage(Instant at, long count, @Nullable Long longestWait) {}

    /**
     * The progress of the companion's simulated failures.
     *
     * @param failed number of attempts that have failed, out of the requested number
     * @param begun whether a job has taken on the failures
     * @param waits the wait after each of them, in milliseconds
     * @param done the attempt that completed the job; null: not yet
     */
    record Stumble(
            int failed,
            int of,
            boolean begun,
            List<Long> waits,
            @Nullable Integer done) {}

    State state() throws SQLException {
        Kill kill = killed;
        ConnectionCut.Cut ended = cut.last();
        return new State(
                postrider.log().head(LiveChat.TOPIC),
                trouble == null ? List.of() : trouble.workers(),
                kill == null ? null : outage(kill.at(), kill.pid()),
                ended == null ? null : outage(ended.at(), ended.connections()),
                held.held(),
                queue.ingestion().ahead(),
                queue.line(),
                stumble());
    }

    private Outage outage(Instant at, long count) throws SQLException {
        OffsetDateTime from = at.minus(BEFORE).atOffset(ZoneOffset.UTC);
        OffsetDateTime to = at.plus(AFTER).atOffset(ZoneOffset.UTC);
        try (Connection connection = dataSource.getConnection()) {
            Long longest = Rows.one(
                            connection,
                            LONGEST_WAIT,
                            row -> Optional.ofNullable(row.getObject("millis", Long.class)),
                            from,
                            to,
                            from)
                    .flatMap(found -> found)
                    .orElse(null);
            return new Outage(at, count, longest);
        }
    }

    private @Nullable Stumble stumble() throws SQLException {
        Companion.Told told = companion.told();
        UUID job = told.job();
        if (told.ahead() == 0 && job == null) {
            return null;
        }
        List<Long> waits = IntStream.rangeClosed(1, FAILURES)
                .mapToObj(
                        attempt -> Companion.RETRY.after(attempt).orElseThrow().toMillis())
                .toList();
        Integer done = job == null
                ? null
                : postrider
                        .jobs()
                        .find(job)
                        .filter(found -> found.state() == Jobs.State.DONE)
                        .map(Jobs.Status::attempts)
                        .orElse(null);
        return new Stumble(job == null ? 0 : FAILURES - told.ahead(), FAILURES, job != null, waits, done);
    }
}
