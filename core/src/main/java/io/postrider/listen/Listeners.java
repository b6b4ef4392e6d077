package io.postrider.listen;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.StartPoint;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.log.Heads;
import io.postrider.log.LogReader;
import io.postrider.watch.Watch;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of this node: registered, started, stopped. And what an operator asks about all listeners. */
public final class Listeners implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Listeners.class);
    private static final Sql REGISTER = Sql.file("listen/register");
    private static final Sql LISTENER = Sql.file("listen/listener");
    private static final Sql START_LEDGER = Sql.file("listen/start_ledger");
    private static final Sql POSITION_AT = Sql.file("listen/position_at");
    private static final Sql PAUSE = Sql.file("listen/pause");
    private static final Sql RESET = Sql.file("listen/reset");
    private static final Sql LIST = Sql.file("listen/listeners");

    private final Database database;
    private final Heads heads;
    private final Posts posts;
    private final LogReader reader;
    private final ExecutorService threads = HandlerThreads.executor();
    private final ListenerRun.Listening listening;
    private final Map<String, ListenerRun> runs = new ConcurrentHashMap<>();

    public Listeners(Database database, Heads heads, Posts posts, String worker, Watch watch) {
        this.database = database;
        this.heads = heads;
        this.posts = posts;
        this.reader = new LogReader(database);
        this.listening = new ListenerRun.Listening(database, heads, reader, threads, worker, watch);
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
        ListenerRun run = new ListenerRun(listening, listener, posts.open(listener.name(), listener.topic()));
        if (listener.types() == null) {
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
                        .texts("types", listener.types())
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
                    "listener_detached listener={} since={} retention took events it had not handled; reset it",
                    listener.name(),
                    registered.detachedAt());
        }
        if (registered.cursor() == null) {
            long start = startOf(session, listener.topic(), listener.start());
            session.update(
                    START_LEDGER,
                    bind -> bind.text("listener", listener.name())
                            .int8("to_position", start)
                            .text("worker", listening.worker()));
        }
    }

    /** The position before the first one to be handled. */
    private long startOf(Session session, String topic, StartPoint start) {
        long oldest = LogReader.oldest(session, topic) - 1;
        return switch (start.kind()) {
            case BEGINNING -> oldest;
            case END -> reader.head(session, topic);
            case POSITION -> Math.min(Math.max(start.position() - 1, oldest), reader.head(session, topic));
            case TIME ->
                Math.max(
                        oldest,
                        session.one(
                                        POSITION_AT,
                                        bind -> bind.text("topic", topic).instant("time", start.time()),
                                        row -> row.int8("position"))
                                .orElseThrow());
        };
    }

    /** Pauses or resumes a listener, wherever it runs. */
    public void pause(String listener, boolean paused) {
        int changed = database.transaction(session -> session.one(
                        PAUSE,
                        bind -> bind.text("listener", listener).bool("paused", paused),
                        row -> row.int4("changed"))
                .orElse(0));
        if (changed == 0) {
            throw new PostriderException(Kind.NOT_FOUND, "no listener " + listener);
        }
    }

    /**
     * Moves a listener to another place in its topic: forward past what it will never handle, or back to handle it again.
     * Gives the cursor it has then. Its setbacks and dead letters stay.
     */
    public long reset(String listener, StartPoint to) {
        return database.transaction(session -> {
            long cursor = cursorAt(session, listener, to);
            session.query(
                    RESET,
                    bind -> bind.text("listener", listener)
                            .int8("to_position", cursor)
                            .text("worker", listening.worker()),
                    row -> row.int4("reset"));
            return cursor;
        });
    }

    /** Where {@link #reset} would put the cursor. */
    public long cursorAt(String listener, StartPoint to) {
        return database.autocommit(session -> cursorAt(session, listener, to));
    }

    private long cursorAt(Session session, String listener, StartPoint to) {
        String topic = session.one(LISTENER, bind -> bind.text("listener", listener), row -> row.text("topic"))
                .orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no listener " + listener));
        return startOf(session, topic, to);
    }

    /** Every listener in the database. */
    public List<Status> list() {
        return database.autocommit(session -> session.query(LIST, Bind::nothing, Status::read));
    }

    /** A row of the view {@code listeners}. */
    public record Status(
            String name,
            String topic,
            String kind,
            String policy,
            long position,
            long head,
            long lag,
            @Nullable Instant lastProgressAt,
            int attempts,
            @Nullable Instant retryAfter,
            @Nullable String lastError,
            long setbacks,
            long deadLetters,
            boolean paused,
            @Nullable Instant detachedAt,
            @Nullable String owner) {
        static Status read(Row row) throws SQLException {
            return new Status(
                    row.text("name"),
                    row.text("topic"),
                    row.text("kind"),
                    row.text("policy"),
                    row.int8("position"),
                    row.int8("head"),
                    row.int8("lag"),
                    row.instantOrNull("last_progress_at"),
                    row.int4("attempts"),
                    row.instantOrNull("retry_after"),
                    row.textOrNull("last_error"),
                    row.int8("setbacks"),
                    row.int8("dead_letters"),
                    row.bool("paused"),
                    row.instantOrNull("detached_at"),
                    row.textOrNull("owner"));
        }
    }

    /** Lets each listener finish what it is at, up to a time; then interrupts. */
    public void stop(Duration grace) {
        runs.values().forEach(ListenerRun::stop);
        threads.shutdown();
        try {
            if (!threads.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
                if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
                    log.warn("listeners_stuck a handler does not end; its transaction will be rolled back");
                }
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop(Duration.ofSeconds(10));
    }
}
