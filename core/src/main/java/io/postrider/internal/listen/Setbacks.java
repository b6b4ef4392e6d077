package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.admin.DeadLetter;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.StackTraceText;
import io.postrider.internal.listen.SetbacksAhead.Setback;
import io.postrider.internal.log.LogEvents;
import io.postrider.internal.threads.Deadline;
import io.postrider.internal.watch.ErrorCode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The statements about the setbacks of one listener. Each takes the session in whose transaction it belongs. */
final class Setbacks {
    private static final Sql AHEAD = Sql.file("listen/setbacks_ahead");
    private static final Sql PARKED_KEYS = Sql.file("listen/parked_keys");
    private static final Sql BEGIN_ATTEMPT = Sql.file("listen/begin_attempt");
    private static final Sql BEGIN_AGAIN = Sql.file("listen/begin_again");
    private static final Sql SET_BACK = Sql.file("listen/set_back");
    private static final Sql SET_BACK_AGAIN = Sql.file("listen/set_back_again");
    private static final Sql PARK = Sql.file("listen/park");
    private static final Sql CLEAR =
            Sql.call("listen/clear_setback", "select postrider.clear_setback(:listener, :position, :attempt) as ours");
    private static final Sql UNCOUNT_ATTEMPT = Sql.file("listen/uncount_attempt");
    private static final Sql DUE = Sql.file("listen/due_setbacks");
    private static final Sql NEXT_DUE = Sql.file("listen/next_due");
    private static final Sql BURY = Sql.file("listen/bury");

    /** Errors are stored for people to read, not as a dump. */
    private static final int LONGEST_ERROR = 4_000;

    private final String listener;
    private final String node;

    Setbacks(String listener, String node) {
        this.listener = listener;
        this.node = node;
    }

    /**
     * The setbacks that the cursor has not passed.
     *
     * @param shared whether other nodes run the listener as well: then an attempt that one of them has begun is theirs for a
     *     minute. If not, the node that has begun it is gone
     */
    List<Setback> ahead(Session session, long cursor, boolean shared) {
        return session.query(
                AHEAD,
                bind -> bind.text("listener", listener)
                        .int8("cursor", cursor)
                        .bool("shared", shared)
                        .text("worker", node),
                row -> new Setback(
                        row.int8("position"),
                        row.uuid("event_id"),
                        row.int4("attempt"),
                        Deadline.in(Duration.ofMillis(row.int8("wait_millis")))));
    }

    Set<String> parkedKeys(Session session) {
        return new HashSet<>(
                session.query(PARKED_KEYS, bind -> bind.text("listener", listener), row -> row.text("key")));
    }

    /** Counts an attempt before it is made. Gives its number. */
    int beginAttempt(Session session, LogEvent event) {
        return session.one(BEGIN_ATTEMPT, bind -> event(bind, event).text("worker", node), row -> row.int4("attempt"))
                .orElseThrow();
    }

    /** Takes a counted attempt back: the sink was unavailable. */
    int uncount(Session session, long position, int attempt, boolean isAhead) {
        return session.update(
                UNCOUNT_ATTEMPT,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt)
                        .bool("ahead", isAhead));
    }

    /** The same as {@link #beginAttempt} for an event behind the cursor; empty if it is gone or another attempt has begun. */
    Optional<Integer> beginAgain(Session session, long position, int attempt) {
        return session.one(
                BEGIN_AGAIN,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt)
                        .text("worker", node),
                row -> row.int4("attempt"));
    }

    void setBack(Session session, LogEvent event, int attempt, Duration wait, Throwable error) {
        session.update(
                SET_BACK,
                bind -> event(bind, event)
                        .int4("attempt", attempt)
                        .millis("wait", wait)
                        .text("code", ErrorCode.of(error))
                        .text("error", text(error))
                        .text("stack", StackTraceText.of(error))
                        .text("worker", node));
    }

    /** The same for an event behind the cursor; writes nothing if it is gone or another attempt has begun. */
    void setBackAgain(Session session, long position, int attempt, Duration wait, Throwable error) {
        session.update(
                SET_BACK_AGAIN,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt)
                        .millis("wait", wait)
                        .text("code", ErrorCode.of(error))
                        .text("error", text(error))
                        .text("stack", StackTraceText.of(error)));
    }

    void park(Session session, LogEvent event) {
        session.update(PARK, bind -> event(bind, event));
    }

    /** False if the setback is gone or another attempt has begun. */
    boolean clear(Session session, long position, int attempt) {
        return session.one(
                        CLEAR,
                        bind -> bind.text("listener", listener)
                                .int8("position", position)
                                .int4("attempt", attempt),
                        row -> row.bool("ours"))
                .orElse(false);
    }

    /** A setback without attempts left becomes a dead letter; empty if it is gone or another attempt has begun. */
    Optional<DeadLetter> bury(Session session, long position, int attempt) {
        return session.one(
                BURY,
                bind -> bind.text("listener", listener)
                        .int8("position", position)
                        .int4("attempt", attempt),
                JdbcDeadLetters::letter);
    }

    List<Due> due(Session session, long cursor, int most, boolean shared) {
        return session.query(
                DUE,
                bind -> bind.text("listener", listener)
                        .int8("cursor", cursor)
                        .int4("most", most)
                        .bool("shared", shared)
                        .text("worker", node),
                row -> new Due(read(row), row.int4("attempt")));
    }

    Optional<Duration> nextDue(Session session, long cursor, boolean shared) {
        return session.query(
                        NEXT_DUE,
                        bind -> bind.text("listener", listener)
                                .int8("cursor", cursor)
                                .bool("shared", shared)
                                .text("worker", node),
                        row -> Optional.ofNullable(row.int8OrNull("wait_millis")))
                .get(0)
                .map(Duration::ofMillis);
    }

    /** Class and message of an error in one line, without NUL and other control characters, which text cannot hold. */
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

    /** A setback behind the cursor that is due. */
    record Due(LogEvent event, int attempt) {}
}
