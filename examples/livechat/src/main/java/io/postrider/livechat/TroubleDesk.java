package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.admin.Jobs;
import io.postrider.admin.Queues;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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

    private final Postrider postrider;
    private final DataSource dataSource;
    private final Ingestion ingestion;
    private final Companion companion;
    private final HeldTransaction held;
    private final @Nullable Trouble trouble;
    private volatile @Nullable Instant killedAt;
    private volatile boolean waited;

    TroubleDesk(
            Postrider postrider,
            DataSource dataSource,
            Ingestion ingestion,
            Companion companion,
            HeldTransaction held,
            @Nullable Trouble trouble) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.ingestion = ingestion;
        this.companion = companion;
        this.held = held;
        this.trouble = trouble;
    }

    // ── actions ─────────────────────────────────────────────────────────────────────────────────────────────────────

    boolean isAllowed() {
        return trouble != null;
    }

    void killWorker() throws SQLException {
        if (trouble != null) {
            trouble.killWorker();
            waited = false;
            killedAt = now();
        }
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
     * @param worker null: the application does not supervise it
     * @param takeover time from the last kill until the first message that had waited for the worker was saved, in
     *     milliseconds; null: none was seen to wait, or none is saved yet
     * @param held null if no transaction is held open
     * @param ahead null if messages are queued immediately
     * @param companion null if no failure was ever requested
     */
    record State(
            long position,
            Trouble.@Nullable WorkerState worker,
            @Nullable Long takeover,
            HeldTransaction.@Nullable Held held,
            Ingestion.@Nullable Ahead ahead,
            Line ingest,
            @Nullable Stumble companion) {}

    /** A queue in four numbers. */
    record Line(long waiting, long running, long later, long dead) {
        long all() {
            return waiting + running + later;
        }
    }

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
        List<Queues.Status> queues = postrider.queues().list();
        Line messages = line(queues, LiveChat.INGEST);
        Ingestion.@Nullable Ahead ahead = ingestion.ahead();
        Trouble.@Nullable WorkerState worker = trouble == null ? null : trouble.worker();
        boolean waits = worker != null && !worker.up() && messages.all() + inStream(ahead) > 0;
        return new State(
                postrider.log().head(LiveChat.TOPIC), worker, takeover(waits), held.held(), ahead, messages, stumble());
    }

    /** How many messages are accepted and not saved yet. */
    long waiting() {
        return line(postrider.queues().list(), LiveChat.INGEST).all() + inStream(ingestion.ahead());
    }

    private static Line line(List<Queues.Status> queues, String name) {
        return queues.stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .map(queue -> new Line(queue.depth(), queue.running(), queue.scheduled(), queue.deadLetters()))
                .orElse(new Line(0, 0, 0, 0));
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

    private static long inStream(Ingestion.@Nullable Ahead ahead) {
        Long waiting = ahead == null ? null : ahead.waiting();
        return waiting == null ? 0 : waiting;
    }

    /**
     * Only if a message waited since the kill: otherwise it shows when a user wrote again, not when the worker resumed.
     *
     * @param waits whether messages wait for a worker that is down
     */
    private @Nullable Long takeover(boolean waits) throws SQLException {
        Instant killed = killedAt;
        if (killed == null) {
            return null;
        }
        Optional<Instant> saved = firstSavedAfter(killed);
        if (waits && saved.isEmpty()) {
            waited = true;
        }
        return saved.filter(at -> waited)
                .map(at -> Duration.between(killed, at).toMillis())
                .orElse(null);
    }

    private Optional<Instant> firstSavedAfter(Instant killed) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Rows.one(
                    connection,
                    "select m.created_at from livechat.message m where m.created_at > ? and m.answers is null"
                            + " order by m.created_at limit 1",
                    row -> Rows.instant(row, "created_at"),
                    killed.atOffset(ZoneOffset.UTC));
        }
    }
}
