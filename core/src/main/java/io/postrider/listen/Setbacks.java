package io.postrider.listen;

import io.postrider.LogEvent;
import io.postrider.db.Bind;
import io.postrider.db.Row;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.log.LogEvents;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The setbacks of one listener: the statements about them. Each takes the session in whose transaction it belongs. */
final class Setbacks {
    private static final Sql AHEAD = Sql.file("listen/setbacks_ahead");
    private static final Sql PARKED_KEYS = Sql.file("listen/parked_keys");
    private static final Sql BEGIN_ATTEMPT = Sql.file("listen/begin_attempt");
    private static final Sql BEGIN_AGAIN = Sql.file("listen/begin_again");
    private static final Sql SET_BACK = Sql.file("listen/set_back");
    private static final Sql SET_BACK_AGAIN = Sql.file("listen/set_back_again");
    private static final Sql PARK = Sql.file("listen/park");
    private static final Sql CLEAR = Sql.file("listen/clear_setback");
    private static final Sql UNCOUNT_ATTEMPT = Sql.file("listen/uncount_attempt");
    private static final Sql DUE = Sql.file("listen/due_setbacks");
    private static final Sql NEXT_DUE = Sql.file("listen/next_due");
    private static final Sql BURY = Sql.file("listen/bury");

    /** An error is kept for a person to read, not as a dump. */
    private static final int LONGEST_ERROR = 4_000;

    private final String listener;
    private final String worker;

    Setbacks(String listener, String worker) {
        this.listener = listener;
        this.worker = worker;
    }

    /**
     * The setbacks that the cursor has not passed, by position.
     *
     * @param shared whether other workers run the listener as well: then what one of them has begun is theirs for a minute.
     *     If not, whoever has begun it is gone
     */
    Map<Long, Ahead> ahead(Session session, long cursor, boolean shared) {
        Map<Long, Ahead> ahead = new HashMap<>();
        session.query(
                        AHEAD,
                        bind -> bind.text("listener", listener)
                                .int8("cursor", cursor)
                                .bool("shared", shared)
                                .text("worker", worker),
                        row -> new Ahead(
                                row.int8("position"),
                                row.uuid("event_id"),
                                row.int4("attempt"),
                                Duration.ofMillis(row.int8("wait_millis"))))
                .forEach(one -> ahead.put(one.position(), one));
        return ahead;
    }

    Set<String> parkedKeys(Session session) {
        return new HashSet<>(
                session.query(PARKED_KEYS, bind -> bind.text("listener", listener), row -> row.text("key")));
    }

    int beginAttempt(Session session, LogEvent event) {
        return session.one(BEGIN_ATTEMPT, bind -> event(bind, event).text("worker", worker), row -> row.int4("attempt"))
                .orElseThrow();
    }

    /** Takes a counted attempt back: the sink was not there. */
    int uncount(Session session, long position, int attempt, boolean isAhead) {
        return session.update(
                UNCOUNT_ATTEMPT,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt)
                        .bool("ahead", isAhead));
    }

    /** As above for an event behind the cursor; empty if it is gone, or somebody else has begun another attempt. */
    Optional<Integer> beginAgain(Session session, long position, int attempt) {
        return session.one(
                BEGIN_AGAIN,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt)
                        .text("worker", worker),
                row -> row.int4("attempt"));
    }

    void setBack(Session session, LogEvent event, int attempt, Duration wait, Throwable error) {
        session.update(
                SET_BACK,
                bind -> event(bind, event)
                        .int4("attempt", attempt)
                        .millis("wait", wait)
                        .text("error", text(error))
                        .text("worker", worker));
    }

    /** As above for an event behind the cursor; nothing if it is gone, or somebody else has begun another attempt. */
    void setBackAgain(Session session, long position, int attempt, Duration wait, Throwable error) {
        session.update(
                SET_BACK_AGAIN,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt)
                        .millis("wait", wait)
                        .text("error", text(error)));
    }

    void park(Session session, LogEvent event) {
        session.update(PARK, bind -> event(bind, event));
    }

    boolean clear(Session session, long position, int attempt) {
        return session.one(
                        CLEAR,
                        bind -> bind.text("listener", listener)
                                .int8("position", position)
                                .int4("attempt", attempt),
                        row -> row.bool("ours"))
                .orElse(false);
    }

    /** A setback that is out of attempts becomes a dead letter; empty if it is gone, or another attempt has begun. */
    Optional<DeadLetter> bury(Session session, long position, int attempt) {
        return session.one(
                BURY,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt),
                DeadLetter::read);
    }

    List<Due> due(Session session, long cursor, int most, boolean shared) {
        return session.query(
                DUE,
                bind -> bind.text("listener", listener)
                        .int8("cursor", cursor)
                        .int4("most", most)
                        .bool("shared", shared)
                        .text("worker", worker),
                row -> new Due(read(row), row.int4("attempt")));
    }

    Optional<Duration> nextDue(Session session, long cursor, boolean shared) {
        return session.query(
                        NEXT_DUE,
                        bind -> bind.text("listener", listener)
                                .int8("cursor", cursor)
                                .bool("shared", shared)
                                .text("worker", worker),
                        row -> Optional.ofNullable(row.int8OrNull("wait_millis")))
                .get(0)
                .map(Duration::ofMillis);
    }

    /** The error as one line of class and message; NUL and other control characters out, because text cannot hold them. */
    static String text(Throwable error) {
        String text = (error.getClass().getName() + ": " + error.getMessage()).replaceAll("\\p{Cntrl}+", " ");
        return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR);
    }

    private Bind event(Bind bind, LogEvent event) throws SQLException {
        return bind.text("listener", listener)
                .int8("position", event.position())
                .text("topic", event.topic())
                .uuid("event_id", event.id())
                .instant("created_at", event.createdAt())
                .text("type", event.type())
                .text("key", event.key())
                .text("project_id", event.projectId())
                .text("user_id", event.userId())
                .text("aggregate_type", event.aggregateType())
                .text("aggregate_id", event.aggregateId())
                .text("payload", event.payload())
                .text("headers", event.headers());
    }

    private static LogEvent read(Row row) throws SQLException {
        return LogEvents.read(row.text("topic"), row);
    }

    /** A setback that the cursor has not passed. */
    record Ahead(long position, UUID event, int attempt, Duration dueIn) {}

    /** A setback behind the cursor whose time has come. */
    record Due(LogEvent event, int attempt) {}
}
