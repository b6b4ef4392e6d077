package io.postrider.internal.emit;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.watch.ActivityLog;
import io.postrider.internal.watch.Reports;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Writes events and jobs in the caller's transaction. They exist if and only if it commits. */
public final class Emitter {
    private static final Logger log = LoggerFactory.getLogger(Emitter.class);
    private static final Sql EMIT = Sql.file("emit/emit");
    private static final Sql EMIT_ALL = Sql.file("emit/emit_all");
    private static final Sql ENQUEUE = Sql.file("emit/enqueue");
    private static final Sql LOCK_KEYS =
            Sql.call("emit/lock_keys", "select postrider.lock_unique_keys(:keys)::pg_catalog.text as locked");
    private static final Sql ENQUEUE_ALL = Sql.file("emit/enqueue_all");

    /** The maximum number of events per statement: arrays for a batch of millions would hold it in memory three times. */
    private static final int SLICE = 1_000;

    private final Database database;
    private final int payloadCap;
    private final boolean autocommit;
    private final Reports reports;

    /** @param autocommit whether a connection in autocommit mode is accepted */
    public Emitter(Database database, int payloadCap, boolean autocommit, Reports reports) {
        this.autocommit = autocommit;
        this.database = database;
        this.payloadCap = payloadCap;
        this.reports = reports;
    }

    /** Writes one event. */
    public UUID emit(Connection connection, Event event) {
        refuseOversize(event);
        Session session = transaction("emit", connection);
        try {
            session.update(
                    EMIT,
                    bind -> bind.uuid("event_id", event.id())
                            .text("topic", event.topic())
                            .text("type", event.type())
                            .text("key", event.key())
                            .text("project_id", event.projectId())
                            .text("user_id", event.userId())
                            .text("aggregate_type", event.aggregateType())
                            .text("aggregate_id", event.aggregateId())
                            .text("payload", event.payload())
                            .text("headers", event.headers()));
        } catch (PostriderException e) {
            throw explained(e, event.topic());
        }
        written(event);
        return event.id();
    }

    /** Writes events in the order given, in slices of one statement each. */
    public void emitAll(Connection connection, List<Event> events) {
        events.forEach(this::refuseOversize);
        Session session = transaction("emitAll", connection);
        for (int from = 0; from < events.size(); from += SLICE) {
            emitSlice(session, events.subList(from, Math.min(from + SLICE, events.size())));
        }
    }

    /** In autocommit mode an event would remain although the change it describes was rolled back or never happened. */
    private Session transaction(String verb, Connection connection) {
        Session session = database.on(connection);
        if (!autocommit && session.isAutocommit()) {
            throw PostriderException.refused(verb + " needs a transaction, and the connection is in autocommit mode;"
                    + " call connection.setAutoCommit(false) and commit, or allow autocommit with"
                    + " Options.withAutocommit(true)");
        }
        return session;
    }

    private void emitSlice(Session session, List<Event> slice) {
        writeSlice(EMIT_ALL, session, slice, null);
    }

    private void writeSlice(Sql sql, Session session, List<Event> slice, @Nullable List<@Nullable String> times) {
        try {
            session.update(sql, bind -> {
                bind.uuids("event_ids", slice.stream().map(Event::id).toList())
                        .texts("topics", column(slice, Event::topic))
                        .texts("types", column(slice, Event::type))
                        .texts("keys", column(slice, Event::key))
                        .texts("project_ids", column(slice, Event::projectId))
                        .texts("user_ids", column(slice, Event::userId))
                        .texts("aggregate_types", column(slice, Event::aggregateType))
                        .texts("aggregate_ids", column(slice, Event::aggregateId))
                        .texts("payloads", column(slice, Event::payload))
                        .texts("headers", column(slice, Event::headers));
                if (times != null) {
                    bind.texts("due_at", times);
                }
            });
        } catch (PostriderException e) {
            throw explained(e, slice.get(0).topic());
        }
        slice.forEach(this::written);
    }

    /** Writes one job. Returns its id, or the id of the unfinished job that holds its unique key. */
    public UUID enqueue(Connection connection, Job job) {
        Event event = job.event();
        refuseOversize(event);
        Job.@Nullable Unique unique = job.unique();
        Duration period = unique == null ? null : unique.period();
        UUID id;
        try {
            id = transaction("enqueue", connection)
                    .one(
                            ENQUEUE,
                            bind -> bind.text("queue", job.queue())
                                    .text("type", event.type())
                                    .text("payload", event.payload())
                                    .instant("run_at", job.runAt())
                                    .text("key", event.key())
                                    .text("priority", job.priority().name().toLowerCase(Locale.ROOT))
                                    .text("unique_key", unique == null ? null : unique.key())
                                    .text("unique_for", period == null ? null : period.toString())
                                    .text("project_id", event.projectId())
                                    .text("user_id", event.userId())
                                    .text("headers", event.headers())
                                    .text("aggregate_type", event.aggregateType())
                                    .text("aggregate_id", event.aggregateId())
                                    .uuid("job_id", event.id()),
                            row -> row.uuid("id"))
                    .orElseThrow();
        } catch (PostriderException e) {
            throw explained(e, event.topic());
        }
        if (id.equals(event.id())) {
            written(event);
        }
        return id;
    }

    /** Writes jobs in the order given, in slices of one statement each; jobs with a unique key one at a time. */
    public void enqueueAll(Connection connection, List<Job> jobs) {
        jobs.forEach(job -> refuseOversize(job.event()));
        transaction("enqueueAll", connection);
        lockKeys(connection, jobs);
        for (int from = 0; from < jobs.size(); ) {
            int to = from;
            while (to < jobs.size() && to - from < SLICE && jobs.get(to).unique() == null) {
                to++;
            }
            if (to == from) {
                enqueue(connection, jobs.get(to++));
            } else {
                enqueueSlice(database.on(connection), jobs.subList(from, to));
            }
            from = to;
        }
    }

    /**
     * Locks unique keys in a consistent order: two callers that locked the same keys in the order of their jobs could deadlock.
     */
    private void lockKeys(Connection connection, List<Job> jobs) {
        List<String> keys = jobs.stream()
                .filter(job -> job.unique() != null)
                .map(job ->
                        job.queue() + " " + Objects.requireNonNull(job.unique()).key())
                .distinct()
                .toList();
        if (keys.size() > 1) {
            database.on(connection).call(LOCK_KEYS, bind -> bind.texts("keys", keys));
        }
    }

    private void enqueueSlice(Session session, List<Job> slice) {
        List<Event> events = slice.stream().map(Job::event).toList();
        List<@Nullable String> times = new ArrayList<>(slice.size());
        for (Job job : slice) {
            Instant runAt = job.runAt();
            times.add(runAt == null ? null : runAt.toString());
        }
        writeSlice(ENQUEUE_ALL, session, events, times);
    }

    private static List<@Nullable String> column(List<Event> events, Function<Event, @Nullable String> field) {
        List<@Nullable String> column = new ArrayList<>(events.size());
        for (Event event : events) {
            column.add(field.apply(event));
        }
        return column;
    }

    /** Checks before the insert, because a statement that the database refuses aborts the caller's transaction. */
    private void refuseOversize(Event event) {
        int length = event.payload().length();
        if (length > payloadCap
                || (length > payloadCap / 3 && event.payload().getBytes(StandardCharsets.UTF_8).length > payloadCap)) {
            throw PostriderException.refused("payload of event " + event.id() + " on topic " + event.topic()
                    + " is longer than the payload cap of " + payloadCap
                    + " bytes; store it elsewhere and emit a reference, or raise the cap with Options.withPayloadCap"
                    + " and `postrider migrate --payload-cap`");
        }
    }

    /**
     * Explains errors that only the database can detect: a payload over the cap as PostgreSQL formats it, or a number that is too
     * large.
     */
    private PostriderException explained(PostriderException e, String topic) {
        String state = SqlState.of(e);
        if (state.equals("22P02") || state.equals("22003") || state.equals("22P05") || state.equals("22021")) {
            return new PostriderException(
                    Kind.REFUSED,
                    "PostgreSQL cannot store the payload or headers of an event on topic " + topic + ": "
                            + e.getMessage(),
                    e);
        }
        if (state.equals("22023")) {
            return new PostriderException(Kind.REFUSED, String.valueOf(e.getMessage()), e);
        }
        if (!state.equals("23514") && !state.equals("23502")) {
            return e;
        }
        String flaw = switch (SqlState.constraintOf(e)) {
            case "payload_is_under_the_cap" ->
                "a payload is longer than the payload cap of " + payloadCap
                        + " bytes as PostgreSQL writes it, with a space after each colon and comma; store it elsewhere"
                        + " and emit a reference, or raise the cap with `postrider migrate --payload-cap`";
            case "digits_are_bounded" ->
                "a number in the payload or headers is 1e401 or larger, or has more than 1,400"
                        + " decimal places; send it as a string";
            case "topic_requires_fields" -> e.getMessage() + "; see Event.withProject and Event.withUser";
            case "headers_are_a_small_object" -> "headers must have at most 16384 bytes; put content in the payload";
            default -> e.getMessage();
        };
        return new PostriderException(Kind.REFUSED, "the database refused an event on topic " + topic + ": " + flaw, e);
    }

    private void written(Event event) {
        Level level = reports.lines().level(log, ActivityLog.Line.OUTBOX_ENQUEUED);
        if (level != null) {
            ActivityLog.write(
                    log,
                    level,
                    "outbox_enqueued event_id={} topic={} type={}",
                    event.id(),
                    event.topic(),
                    event.type());
        }
        reports.watch().emitted(event.topic(), 1);
    }
}
