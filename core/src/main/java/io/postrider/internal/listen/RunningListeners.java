package io.postrider.internal.listen;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.LogReader;
import io.postrider.internal.threads.Deadline;
import io.postrider.internal.threads.HandlerThreads;
import io.postrider.internal.watch.Reports;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of this node: registers, starts and stops them. */
public final class RunningListeners implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RunningListeners.class);
    private static final Sql REGISTER = Sql.file("listen/register");
    private static final Sql LISTENER = Sql.file("listen/listener");
    private static final Sql START_LEDGER = Sql.file("listen/start_ledger");
    private static final Sql START_SHADOW = Sql.file("listen/start_shadow");
    private static final Sql RECORD_FILTER = Sql.file("listen/record_filter");

    /** Also used by resets. */
    static final Sql START_FILTER = Sql.call(
            "listen/start_filter",
            "select postrider.start_filter(:listener, :stood, :start)::pg_catalog.text as started");

    private final Database database;
    private final Heads heads;
    private final Assignments assignments;
    private final LogReader reader;
    private final ExecutorService threads = HandlerThreads.executor();
    private final ScheduledExecutorService timer = HandlerThreads.timer();
    private final NodeServices node;
    private final Map<String, ListenerRun> runs = new ConcurrentHashMap<>();

    public RunningListeners(Database database, Heads heads, Assignments assignments, Reports reports) {
        this.database = database;
        this.heads = heads;
        this.assignments = assignments;
        this.reader = new LogReader(database);
        this.node = new NodeServices(database, heads, reader, threads, reports);
    }

    /** Makes the listener in the database, or takes up the one that is there. May be repeated. */
    public void register(Listener listener) {
        database.transaction(session -> {
            register(session, listener);
            return true;
        });
        database.autocommit(session -> {
            heads.follow(session, listener.topic());
            return true;
        });
    }

    /** Starts one that is registered. */
    public void run(Listener listener) {
        ListenerRun run = new ListenerRun(
                node, listener, assignments.open(listener.name(), listener.topic()), new Suspender(threads, timer));
        if (listener.types() == null && listener.projects() == null) {
            reader.share(listener.topic());
        }
        runs.put(listener.name(), run);
        threads.execute(run);
        log.info("listener_started {}", listener);
    }

    private void register(Session session, Listener listener) {
        session.update(
                REGISTER,
                bind -> bind.text("name", listener.name())
                        .text("topic", listener.topic())
                        .text("kind", listener.isTransactional() ? "transactional" : "relay")
                        .text("policy", listener.policy().name().toLowerCase(Locale.ROOT))
                        .texts("types", sorted(listener.types()))
                        .texts("projects", sorted(listener.projects()))
                        .int4("batch", listener.batch())
                        .int4("attempts", listener.attempts())
                        .bool("paused", listener.paused())
                        .text(
                                "sink",
                                listener.handler() instanceof Handler.ToSink to
                                        ? to.sink().describe()
                                        : null));
        record Registered(
                String topic,
                @Nullable Instant detachedAt,
                @Nullable Long cursor) {}
        Registered registered = session.one(
                        LISTENER,
                        bind -> bind.text("listener", listener.name()),
                        row -> new Registered(
                                row.text("topic"), row.instantOrNull("detached_at"), row.int8OrNull("cursor")))
                .orElseThrow();
        if (!registered.topic().equals(listener.topic())) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "listener " + listener.name() + " listens to topic " + registered.topic() + ", not "
                            + listener.topic() + "; choose another name for a new listener");
        }
        if (registered.detachedAt() != null) {
            log.error(
                    "listener_detached listener={} since={} retention deleted events it had not handled; reset it",
                    listener.name(),
                    registered.detachedAt());
        }
        if (registered.cursor() == null) {
            long start = StartPositions.cursorFor(session, reader, listener.topic(), listener.start());
            session.update(
                    START_LEDGER,
                    bind -> bind.text("listener", listener.name())
                            .int8("to_position", start)
                            .text("worker", node.name()));
            if (listener.shadow()) {
                session.update(
                        START_SHADOW,
                        bind -> bind.text("listener", listener.name()).int8("to_position", start));
            }
            session.call(
                    START_FILTER,
                    bind -> bind.text("listener", listener.name())
                            .int8("stood", 0)
                            .int8("start", start));
        } else {
            session.update(RECORD_FILTER, bind -> bind.text("listener", listener.name()));
        }
    }

    /** In one order, so that the same filter is the same value in the database. */
    private static @Nullable Set<String> sorted(@Nullable Set<String> names) {
        return names == null ? null : new TreeSet<>(names);
    }

    /** Lets each listener finish its current batch, up to a time limit; then interrupts. */
    public void stop(Duration grace) {
        runs.values().forEach(ListenerRun::stop);
        Deadline deadline = Deadline.in(grace);
        try {
            for (ListenerRun run : runs.values()) {
                if (!run.awaitEnd(deadline)) { // not before: a listener that waits needs a thread to end its tenure
                    break;
                }
            }
            timer.shutdownNow();
            threads.shutdown();
            if (!threads.awaitTermination(Math.max(0, deadline.nanosLeft()), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
                if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
                    log.warn("listeners_stuck a handler does not end; its transaction will be rolled back");
                }
            }
        } catch (InterruptedException e) {
            timer.shutdownNow();
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop(Duration.ofSeconds(10));
    }
}
