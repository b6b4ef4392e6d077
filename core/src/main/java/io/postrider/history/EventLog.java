package io.postrider.history;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.access.Scope;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.log.LogEvents;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.ToLongFunction;

/**
 * The event log: a read model of the topics whose {@link #listener} somebody has added. Every read is made within a
 * {@link Reach}, which the database enforces. It follows the log within milliseconds and never shows what is not committed;
 * each event is in it once. Safe to share.
 */
public final class EventLog {
    private static final Sql FIND = Sql.file("history/find");
    private static final Sql PAGE = Sql.file("history/page");
    private static final Sql OLDEST = Sql.file("history/oldest");
    private static final Sql REACHED = Sql.file("history/reached");
    private static final Sql RECORDED = Sql.file("history/recorded");
    private static final Sql UNRECORDED = Sql.file("history/unrecorded");
    private static final Sql DROP_BEYOND_HEAD = Sql.file("history/drop_beyond_head");
    private static final Sql REMEMBER = Sql.file("history/remember");
    private static final Sql KEEP = Sql.file("history/keep");

    private static final int MOST = 1_000;

    /** Payloads of one read, together. */
    private static final long BYTES = 8 << 20;

    private final Database database;
    private final ToLongFunction<String> fromBeginning;

    /** With what moves a listener to the beginning of its topic, and gives the cursor that it has then. */
    public EventLog(Database database, ToLongFunction<String> fromBeginning) {
        this.database = database;
        this.fromBeginning = fromBeginning;
    }

    /** The listener that records a topic, {@code event_log:{topic}}. Add it to a node; leave its types as they are. */
    public Listener listener(String topic) {
        return Recorder.of(database, topic);
    }

    /**
     * Events of a topic after a position, in the order of the topic.
     *
     * @param selection must name a topic: positions of different topics cannot be compared
     * @param most 1..1000; fewer are given if they are more than 8 MiB
     */
    public List<LogEvent> read(Reach reach, Selection selection, long after, int most) {
        if (selection.topic() == null) {
            throw PostriderException.refused("topic must be given to read after a position");
        }
        int limit = refuseOutside(most);
        Wording wording = Wording.of(selection, reach);
        return query(
                reach,
                wording.in("history/by_position"),
                wording.and(
                        bind -> bind.int8("after", after).int4("most", limit).int8("bytes", BYTES)));
    }

    /**
     * Events before a moment in the order of time, the latest first.
     *
     * @param most 1..1000; fewer are given if they are more than 8 MiB
     */
    public List<LogEvent> read(Reach reach, Selection selection, Moment before, int most) {
        int limit = refuseOutside(most);
        Wording wording = Wording.of(selection, reach);
        return query(
                reach,
                wording.in("history/by_time"),
                wording.and(bind -> bind.instant("at", before.at())
                        .text("topic_before", before.topic())
                        .int8("position_before", before.position())
                        .int4("most", limit)
                        .int8("bytes", BYTES)));
    }

    /** One event; empty if there is none in reach. */
    public Optional<LogEvent> find(Reach reach, UUID eventId) {
        return query(reach, FIND, bind -> bind.uuid("event_id", eventId)).stream()
                .findFirst();
    }

    /** The last event of an aggregate in a topic; empty if there is none in reach. */
    public Optional<LogEvent> latest(Reach reach, String topic, String aggregateType, String aggregateId) {
        Wording wording = Wording.of(Selection.topic(topic).withAggregate(aggregateType, aggregateId), reach);
        return query(reach, wording.in("history/latest"), wording.and(Bind::nothing)).stream()
                .findFirst();
    }

    /**
     * The events of some rooms at positions {@code after < position <= upto}, each once: for one who resumes.
     *
     * @param span not after {@link #reached}: what is not recorded yet is not missing
     * @param most 1..1000
     * @param bytes a page ends with the event by which payloads and headers are as large as this; 8 MiB are the most
     */
    public Page page(Reach reach, Rooms rooms, Span span, int most, long bytes) {
        int limit = refuseOutside(most);
        List<LogEvent> events = query(
                reach,
                PAGE,
                bind -> bind.texts("projects", rooms.projects())
                        .texts("users", rooms.users())
                        .text("topic", span.topic())
                        .int8("after", span.after())
                        .int8("upto", span.upto())
                        .int4("most", limit)
                        .int8("bytes", Math.min(bytes, BYTES)));
        boolean cut =
                events.size() == limit || characters(events) >= Math.min(bytes, BYTES) / 4; // of four bytes at most
        boolean some = cut && !events.isEmpty();
        return new Page(events, some ? events.get(events.size() - 1).position() : span.upto());
    }

    private static long characters(List<LogEvent> events) {
        return events.stream()
                .mapToLong(event -> event.payload().length() + event.headers().length())
                .sum();
    }

    /** A stretch of a topic: {@code after < position <= upto}. */
    public record Span(String topic, long after, long upto) {}

    /** The oldest position from which on this has every event of a topic; one after {@link #reached} if it has none. */
    public long oldest(String topic) {
        return database.transaction(session -> {
            Scope.own(session);
            return session.one(
                            OLDEST,
                            bind -> bind.text("topic", topic).text("listener", Recorder.nameOf(topic)),
                            row -> row.int8("position"))
                    .orElse(1L);
        });
    }

    /** The last position of a topic that was recorded; 0 if none was. */
    public long reached(String topic) {
        return database.autocommit(session -> session.one(
                        REACHED, bind -> bind.text("listener", Recorder.nameOf(topic)), row -> row.int8("position"))
                .orElse(0L));
    }

    /** Whether the topic has its {@link #listener}, on this node or another, be it stopped. */
    public boolean isRecorded(String topic) {
        return database.autocommit(session -> session.one(
                        RECORDED, bind -> bind.text("listener", Recorder.nameOf(topic)), row -> row.bool("recorded"))
                .orElse(false));
    }

    /** Whether the topic has had events for 10 s and nobody has added its {@link #listener}: reads find nothing, and never will. */
    public boolean isUnrecorded(String topic) {
        return database.autocommit(session -> session.one(
                        UNRECORDED,
                        bind -> bind.text("topic", topic).text("listener", Recorder.nameOf(topic)),
                        row -> row.bool("unrecorded"))
                .orElse(false));
    }

    /** Counts. */
    public Analytics analytics() {
        return new Analytics(database);
    }

    /**
     * Records again whatever the log still has of a topic, under way and in order; meanwhile every row stays where it is until
     * it is replaced, and {@link #reached} begins again. What the log has forgotten stays as it is; what is behind its head,
     * from another log, is removed.
     */
    public void rebuild(String topic) {
        long cursor = fromBeginning.applyAsLong(Recorder.nameOf(topic));
        database.transaction(session -> {
            Scope.own(session);
            session.update(REMEMBER, bind -> bind.text("topic", topic).int8("position", cursor));
            return session.update(DROP_BEYOND_HEAD, bind -> bind.text("topic", topic));
        });
    }

    /** How long events are kept here: 1 hour..100 years, default 90 days. Apart from how long the log keeps them. */
    public void keep(Duration keep) {
        if (keep.compareTo(Duration.ofHours(1)) < 0 || keep.compareTo(Duration.ofDays(36_500)) > 0) {
            throw PostriderException.refused("keep must be PT1H..PT876000H, was " + keep);
        }
        database.statement(session -> session.update(KEEP, bind -> bind.millis("keep", keep)));
    }

    private List<LogEvent> query(Reach reach, Sql sql, Bind.Values values) {
        return Scope.read(database, reach, session -> events(session, sql, values));
    }

    private static List<LogEvent> events(Session session, Sql sql, Bind.Values values) {
        List<LogEvent> events = new ArrayList<>();
        session.each(sql, values, 0, EventLog::event, events::add);
        return events;
    }

    private static LogEvent event(Row row) throws SQLException {
        return LogEvents.read(row.text("topic"), row);
    }

    private static int refuseOutside(int most) {
        if (most < 1 || most > MOST) {
            throw PostriderException.refused("most must be 1.." + MOST + ", was " + most);
        }
        return most;
    }
}
