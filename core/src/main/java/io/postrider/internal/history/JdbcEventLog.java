package io.postrider.internal.history;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.admin.Analytics;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.admin.EventLogCursor;
import io.postrider.admin.EventPage;
import io.postrider.admin.Rooms;
import io.postrider.internal.access.Scope;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.LogEvents;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.ToLongFunction;

/** The event log in the database. Thread-safe. */
public final class JdbcEventLog implements EventLog {
    private static final Sql TOPICS = Sql.file("history/topics");
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

    /** The maximum size of the payloads of one read. */
    private static final long BYTES = 8 << 20;

    private final Database database;
    private final ToLongFunction<String> fromBeginning;

    /** @param fromBeginning moves a listener to the beginning of its topic and returns its new cursor */
    public JdbcEventLog(Database database, ToLongFunction<String> fromBeginning) {
        this.database = database;
        this.fromBeginning = fromBeginning;
    }

    @Override
    public Listener listener(String topic) {
        return Recorder.of(database, topic);
    }

    @Override
    public List<String> topics(int most) {
        return database.autocommit(
                session -> session.query(TOPICS, bind -> bind.int4("most", most), row -> row.text("topic")));
    }

    @Override
    public List<LogEvent> read(Reach reach, EventFilter filter, long after, int most) {
        return read(reach, filter, after, most, BYTES);
    }

    @Override
    public List<LogEvent> read(Reach reach, EventFilter filter, long after, int most, long bytes) {
        if (filter.topic() == null) {
            throw PostriderException.refused("topic must be given to read after a position");
        }
        int limit = refuseOutside(most);
        ReadConditions wording = ReadConditions.of(filter, reach);
        return query(
                reach,
                wording.in("history/by_position"),
                wording.and(
                        bind -> bind.int8("after", after).int4("most", limit).int8("bytes", Math.min(bytes, BYTES))));
    }

    @Override
    public List<LogEvent> read(Reach reach, EventFilter filter, EventLogCursor before, int most) {
        int limit = refuseOutside(most);
        ReadConditions wording = ReadConditions.of(filter, reach);
        return query(
                reach,
                wording.in("history/by_time"),
                wording.and(bind -> bind.instant("at", before.at())
                        .text("topic_before", before.topic())
                        .int8("position_before", before.position())
                        .int4("most", limit)
                        .int8("bytes", BYTES)));
    }

    @Override
    public Optional<LogEvent> find(Reach reach, UUID eventId) {
        return query(reach, FIND, bind -> bind.uuid("event_id", eventId)).stream()
                .findFirst();
    }

    @Override
    public Optional<LogEvent> latest(Reach reach, String topic, String aggregateType, String aggregateId) {
        ReadConditions wording =
                ReadConditions.of(EventFilter.topic(topic).withAggregate(aggregateType, aggregateId), reach);
        return query(reach, wording.in("history/latest"), wording.and(Bind::nothing)).stream()
                .findFirst();
    }

    @Override
    public EventPage page(Reach reach, Rooms rooms, Span span, int most, long bytes) {
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
        // A character has at most four bytes.
        boolean cut = events.size() == limit || characters(events) >= Math.min(bytes, BYTES) / 4;
        boolean some = cut && !events.isEmpty();
        return new EventPage(events, some ? events.get(events.size() - 1).position() : span.upto());
    }

    private static long characters(List<LogEvent> events) {
        return events.stream()
                .mapToLong(event -> event.payload().length() + event.headers().length())
                .sum();
    }

    @Override
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

    @Override
    public long reached(String topic) {
        return database.autocommit(session -> session.one(
                        REACHED, bind -> bind.text("listener", Recorder.nameOf(topic)), row -> row.int8("position"))
                .orElse(0L));
    }

    @Override
    public boolean isRecorded(String topic) {
        return database.autocommit(session -> session.one(
                        RECORDED, bind -> bind.text("listener", Recorder.nameOf(topic)), row -> row.bool("recorded"))
                .orElse(false));
    }

    @Override
    public boolean isUnrecorded(String topic) {
        return database.autocommit(session -> session.one(
                        UNRECORDED,
                        bind -> bind.text("topic", topic).text("listener", Recorder.nameOf(topic)),
                        row -> row.bool("unrecorded"))
                .orElse(false));
    }

    @Override
    public Analytics analytics() {
        return new JdbcAnalytics(database);
    }

    @Override
    public void rebuild(String topic) {
        long cursor = fromBeginning.applyAsLong(Recorder.nameOf(topic));
        database.transaction(session -> {
            Scope.own(session);
            session.update(REMEMBER, bind -> bind.text("topic", topic).int8("position", cursor));
            return session.update(DROP_BEYOND_HEAD, bind -> bind.text("topic", topic));
        });
    }

    @Override
    public void keep(Duration keep) {
        if (keep.compareTo(Duration.ofHours(1)) < 0 || keep.compareTo(Duration.ofDays(36_500)) > 0) {
            throw PostriderException.refused("keep must be 1h..36500d, was "
                    + (keep.toHours() < 1 ? keep.toSeconds() + "s" : keep.toDays() + "d"));
        }
        database.statement(session -> session.update(KEEP, bind -> bind.millis("keep", keep)));
    }

    private List<LogEvent> query(Reach reach, Sql sql, Bind.Values values) {
        return Scope.read(database, reach, session -> events(session, sql, values));
    }

    private static List<LogEvent> events(Session session, Sql sql, Bind.Values values) {
        List<LogEvent> events = new ArrayList<>();
        session.each(sql, values, 0, JdbcEventLog::event, events::add);
        return events;
    }

    private static LogEvent event(Row row) throws SQLException {
        return LogEvents.read(row.text("topic"), row);
    }

    private static int refuseOutside(int most) {
        if (most < 1 || most > MOST) {
            throw PostriderException.refused("the number of events (most) must be 1.." + MOST + ", was " + most);
        }
        return most;
    }
}
