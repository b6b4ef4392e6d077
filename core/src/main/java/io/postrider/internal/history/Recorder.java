package io.postrider.internal.history;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.StartPoint;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a topic into the event log, one statement per batch, in the transaction that moves the cursor.
 *
 * <p>Existing rows at the positions of a batch are replaced. After a reset they hold the same events; in a log that was restored
 * from elsewhere they may hold others. So the recorder can start again anywhere and never fails on an existing row.
 */
final class Recorder implements Handler.TransactionalBatch {
    private static final Sql OPEN = Sql.file("history/open");
    private static final Sql CLEAR = Sql.file("history/clear");
    private static final Sql RECORD = Sql.file("history/record");

    /** Events per commit. With 1,000, nearly all of the cost is that of the rows themselves, about 22 µs each. */
    private static final int BATCH = 1_000;

    private final Database database;
    private final String listener;

    private Recorder(Database database, String listener) {
        this.database = database;
        this.listener = listener;
    }

    /**
     * Failures here are never caused by an event, but the database may fail for hours. So the listener has the maximum number of
     * attempts, which last for days, before it gives up on an event and leaves a gap.
     */
    static Listener of(Database database, String topic) {
        return Listener.transactionalBatch(nameOf(topic), topic, new Recorder(database, nameOf(topic)))
                .withBatch(BATCH)
                .withStart(StartPoint.beginning())
                .withAttempts(1_000)
                .withBackoff(Duration.ofSeconds(1), Duration.ofMinutes(5));
    }

    /** The name of the listener that records a topic. */
    static String nameOf(String topic) {
        return "event_log:" + topic;
    }

    @Override
    public void handle(Connection connection, List<LogEvent> events) {
        Session session = database.on(connection);
        session.pin();
        String topic = events.get(0).topic();
        session.query(OPEN, bind -> bind.text("listener", listener), row -> row.text("opened"));
        session.update(
                CLEAR,
                bind -> bind.text("topic", topic)
                        .int8("first", events.get(0).position())
                        .int8("last", events.get(events.size() - 1).position()));
        record(session, topic, events);
    }

    private static void record(Session session, String topic, List<LogEvent> events) {
        session.update(
                RECORD,
                bind -> bind.text("topic", topic)
                        .int8s("positions", each(events, LogEvent::position))
                        .uuids("event_ids", each(events, LogEvent::id))
                        .texts("types", each(events, LogEvent::type))
                        .texts("keys", eachOrNull(events, LogEvent::key))
                        .texts("project_ids", eachOrNull(events, LogEvent::projectId))
                        .texts("user_ids", eachOrNull(events, LogEvent::userId))
                        .texts("aggregate_types", eachOrNull(events, LogEvent::aggregateType))
                        .texts("aggregate_ids", eachOrNull(events, LogEvent::aggregateId))
                        .texts("payloads", each(events, LogEvent::payload))
                        .texts("headers", each(events, LogEvent::headers))
                        .texts("times", each(events, event -> event.createdAt().toString())));
    }

    private static <T> List<T> each(List<LogEvent> events, Function<LogEvent, T> part) {
        return events.stream().map(part).toList();
    }

    private static List<@Nullable String> eachOrNull(List<LogEvent> events, Function<LogEvent, @Nullable String> part) {
        return events.stream().<@Nullable String>map(part).toList();
    }
}
