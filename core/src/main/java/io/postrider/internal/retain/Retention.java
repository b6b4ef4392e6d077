package io.postrider.internal.retain;

import io.postrider.PostriderException;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the segments: creates them in advance, closes, empties and drops them. Each step is its own transaction with a short
 * lock_timeout: a step that cannot get its locks is retried later, and no other session queues behind it for longer than that.
 * Every node does this; they take turns by a lock that they try without waiting.
 */
public final class Retention implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Retention.class);
    private static final Sql MAKE =
            Sql.text("retain/make_segments", "select postrider.make_segments(:log_size, :ledger_size) as made");
    private static final Sql CLOSE = Sql.text(
            "retain/close_segments", "select postrider.close_segments(:rotate * interval '1 millisecond') as closed");
    private static final Sql EMPTY = Sql.text(
            "retain/empty_segments",
            "select e.what, e.name from postrider.empty_segments(:keep * interval '1 millisecond',"
                    + " :patience * interval '1 millisecond') e");
    private static final Sql SHORTEN =
            Sql.text("retain/shorten_ledgers", "select s from postrider.shorten_ledgers() s");
    private static final Sql SHORTEN_CLAIMS = Sql.text(
            "retain/shorten_claims", "select s from postrider.shorten_claims(:keep * interval '1 millisecond') s");
    private static final Sql TIDY_JOBS = Sql.text(
            "retain/tidy_jobs",
            "select r.rows from postrider.tidy_jobs(:keep * interval '1 millisecond') r (rows) where r.rows > 0");
    private static final Sql MEND_TIMES =
            Sql.text("retain/mend_times", "select m.rows from postrider.mend_times() m (rows) where m.rows > 0");
    private static final Sql NOW = Sql.text("retain/now", "select clock_timestamp() as now");
    private static final Sql DROP = Sql.text("retain/drop_segments", "select postrider.drop_segments() as dropped");
    private static final Sql MAKE_EVENT_LOG =
            Sql.text("retain/make_event_log", "select postrider.make_event_log() as made");
    private static final Sql FORGET_EVENT_LOG =
            Sql.text("retain/forget_event_log", "select f.gone from postrider.forget_event_log() f (gone)");
    private static final Sql FORGET_TOKENS = Sql.text(
            "retain/forget_tokens",
            "delete from postrider.revoked_token r where r.expires_at < clock_timestamp() - interval '1 hour'");
    private static final Sql FORGET_SHADOW = Sql.text(
            "retain/forget_shadow",
            "delete from postrider.shadow s where s.at < clock_timestamp() - :keep * interval '1 millisecond'");
    /** Also limits how long a node that freezes between two statements can hold locks that others need. */
    private static final Sql LIMIT = Sql.text(
            "retain/retention_limit",
            "select set_config('lock_timeout', :millis::text, true)"
                    + " || set_config('idle_in_transaction_session_timeout', '5s', true) as set");

    private static final long LEDGER_SIZE = 1_000_000;
    private static final Duration EVERY = Duration.ofSeconds(2);

    /** A segment in use is closed after this fraction (1/8) of the time that events are kept. */
    private static final int ROTATIONS = 8;

    private final Database database;
    private final ClockGuard clock = new ClockGuard(System::nanoTime);
    private final ClockRepairTurns mending = new ClockRepairTurns(System::nanoTime);
    private boolean isClockBelieved;
    private boolean isMendingDue;
    private final long segmentSize;
    private final Duration keep;
    private final Duration patience;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "postrider-retention");
        thread.setDaemon(true);
        return thread;
    });

    public Retention(Database database, long segmentSize, Duration keep, Duration patience) {
        this.database = database;
        this.segmentSize = segmentSize;
        this.keep = keep;
        this.patience = patience;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::keepHouse, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs every step once. Public for tests and commands that do not want to wait. */
    public void keepHouse() {
        step(
                "make",
                200,
                session -> session.query(
                        MAKE,
                        bind -> bind.int8("log_size", segmentSize).int8("ledger_size", LEDGER_SIZE),
                        row -> row.int4("made") + " segments"));
        step(
                "make_event_log",
                200,
                session -> session.query(
                        MAKE_EVENT_LOG, Bind::nothing, row -> row.int4("made") + " partitions of the event log"));
        step("clock", 100, session -> {
            Instant now =
                    session.one(NOW, Bind::nothing, row -> row.instant("now")).orElseThrow();
            isClockBelieved = clock.isBelieved(now);
            isMendingDue = mending.isDue(now);
            return List.of();
        });
        if (isMendingDue) {
            isMendingDue = false;
            mendTimes();
        }
        if (isClockBelieved) {
            forget();
        }
    }

    private void mendTimes() {
        step("mend_times", 100, session -> {
            List<String> mended = session.query(
                    MEND_TIMES, Bind::nothing, row -> row.int8("rows") + " times written by a fast clock");
            mending.searched(!mended.isEmpty());
            return mended;
        });
    }

    /** The steps that remove data by age. */
    private void forget() {
        step(
                "close",
                200,
                session -> session.query(
                        CLOSE,
                        bind -> bind.millis("rotate", keep.dividedBy(ROTATIONS)),
                        row -> row.int4("closed") + " segments"));
        step(
                "empty",
                100,
                session ->
                        session.query(EMPTY, bind -> bind.millis("keep", keep).millis("patience", patience), row -> {
                            if (row.text("what").equals("detached")) {
                                log.error(
                                        "listener_detached listener={} it was inactive for {}, and retention deleted"
                                                + " events it had not handled",
                                        row.text("name"),
                                        patience);
                            }
                            return row.text("what") + " " + row.text("name");
                        }));
        step("shorten", 100, session -> session.query(SHORTEN, Bind::nothing, row -> row.text("s")));
        step(
                "shorten_claims",
                100,
                session -> session.query(SHORTEN_CLAIMS, bind -> bind.millis("keep", keep), row -> row.text("s")));
        step(
                "tidy_jobs",
                100,
                session -> session.query(
                        TIDY_JOBS, bind -> bind.millis("keep", keep), row -> row.int8("rows") + " rows of jobs"));
        step(
                "forget_event_log",
                50,
                session -> session.query(FORGET_EVENT_LOG, Bind::nothing, row -> row.text("gone")));
        step(
                "forget_tokens",
                100,
                session -> List.of(session.update(FORGET_TOKENS, Bind::nothing) + " expired tokens"));
        step(
                "forget_shadow",
                100,
                session -> List.of(
                        session.update(FORGET_SHADOW, bind -> bind.millis("keep", keep)) + " records of shadow mode"));
        step(
                "drop",
                20,
                session -> session.query(DROP, Bind::nothing, row -> String.valueOf(row.textOrNull("dropped"))));
    }

    private void step(String name, int lockTimeoutMillis, Database.Work<List<String>> work) {
        try {
            List<String> done = database.transaction(session -> {
                limit(session, lockTimeoutMillis);
                return work.on(session);
            });
            done.stream()
                    .filter(what -> !what.equals("null") && !what.startsWith("0 "))
                    .forEach(what -> log.info("retention step={} {}", name, what));
        } catch (PostriderException e) {
            if (SqlState.isContention(SqlState.of(e))) {
                log.debug("retention step={} postponed: {}", name, e.getMessage());
            } else {
                log.warn("retention_failed step={} error=\"{}\"", name, e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            log.error("retention_failed step={}", name, e);
        }
    }

    private static void limit(Session session, int millis) {
        session.query(LIMIT, bind -> bind.int4("millis", millis), row -> row.text("set"));
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
