package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.work.Jobs;
import io.postrider.work.Queues;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes the trouble that is asked for, and says how everything stands meanwhile. */
final class TroubleDesk {
    /** Long enough to see that nobody else waits. */
    static final Duration HOLD = Duration.ofSeconds(20);

    /** One less than there are attempts: the last one answers. */
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

    // ── makes it ────────────────────────────────────────────────────────────────────────────────────────────────────

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

    /** The database's clock: what is compared with its columns must come from it. */
    private Instant now() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Rows.one(connection, "select clock_timestamp() as now", row -> Rows.instant(row, "now"))
                    .orElseThrow();
        }
    }

    // ── tells of it ─────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * How everything stands.
     *
     * @param worker null: somebody else runs it
     * @param takeover how long after the last kill the first of the messages was saved that had waited for the worker, in
     *     milliseconds; null: none was seen to wait, or none is saved yet
     * @param held null: no transaction is held open
     * @param ahead null: messages are queued at once
     * @param failuresAhead how many of the companion's next attempts fail
     * @param retries the companion's jobs that failed and wait for their next attempt
     */
    record State(
            long position,
            Trouble.@Nullable WorkerState worker,
            @Nullable Long takeover,
            HeldTransaction.@Nullable Held held,
            Ingestion.@Nullable Ahead ahead,
            Line ingest,
            Line companion,
            int failuresAhead,
            int attempts,
            List<Retry> retries) {}

    /** A queue in four numbers. */
    record Line(long waiting, long running, long later, long dead) {
        long all() {
            return waiting + running + later;
        }
    }

    /** A job of the companion that failed: its attempt, why, and in how many milliseconds it is tried again. */
    record Retry(String job, int attempt, String error, long in) {}

    State state() throws SQLException {
        List<Queues.Status> queues = postrider.queues().list();
        int failing = companion.failuresAhead();
        Line answers = line(queues, LiveChat.COMPANION);
        Line messages = line(queues, LiveChat.INGEST);
        Ingestion.@Nullable Ahead ahead = ingestion.ahead();
        Trouble.@Nullable WorkerState worker = trouble == null ? null : trouble.worker();
        waited |= worker != null && !worker.up() && messages.all() + inStream(ahead) > 0;
        return new State(
                postrider.log().head(LiveChat.TOPIC),
                worker,
                takeover(),
                held.held(),
                ahead,
                messages,
                answers,
                failing,
                Companion.RETRY.attempts(),
                answers.all() > 0 ? retries() : List.of());
    }

    private static Line line(List<Queues.Status> queues, String name) {
        return queues.stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .map(queue -> new Line(queue.depth(), queue.running(), queue.scheduled(), queue.deadLetters()))
                .orElse(new Line(0, 0, 0, 0));
    }

    private List<Retry> retries() throws SQLException {
        Instant now = now();
        return postrider.jobs().list(LiveChat.COMPANION, Jobs.State.PENDING, 20).stream()
                .filter(job -> "retry".equals(job.waitsFor()))
                .map(job -> new Retry(
                        job.id().toString(),
                        job.attempts(),
                        String.valueOf(job.error()),
                        Math.max(0, Duration.between(now, job.runAt()).toMillis())))
                .toList();
    }

    private static long inStream(Ingestion.@Nullable Ahead ahead) {
        Long waiting = ahead == null ? null : ahead.waiting();
        return waiting == null ? 0 : waiting;
    }

    /** Only if something waited: else the first message tells when somebody wrote again, and nothing of the worker. */
    private @Nullable Long takeover() throws SQLException {
        Instant killed = killedAt;
        if (killed == null || !waited) {
            return null;
        }
        try (Connection connection = dataSource.getConnection()) {
            Optional<Instant> first = Rows.one(
                    connection,
                    "select m.created_at from livechat.message m where m.created_at > ? and m.answers is null"
                            + " order by m.created_at limit 1",
                    row -> Rows.instant(row, "created_at"),
                    killed.atOffset(ZoneOffset.UTC));
            return first.map(saved -> Duration.between(killed, saved).toMillis())
                    .orElse(null);
        }
    }
}
