package io.postrider.proof.faults;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.StartPoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A node with a small heap: {@code GiantMain <jdbc url>}. One listener counts the events of the topic "giant", one range at a
 * time; another records when each event of the topic "trickle" arrived.
 */
public final class GiantMain {
    static final String TABLES = """
            create table counted (first bigint not null, last bigint not null, events bigint not null, at timestamptz not null);
            create table arrived (event_id uuid not null, created_at timestamptz not null, at timestamptz not null);
            """;

    private GiantMain() {}

    public static void main(String[] args) throws InterruptedException {
        Node.start(
                args[0],
                "giant",
                options -> options.withSegmentSize(4_000_000),
                List.of(
                        Listener.transactionalBatch("count", "giant", GiantMain::count)
                                .withBatch(1_000)
                                .withStart(StartPoint.beginning()),
                        Listener.transactional("note", "trickle", GiantMain::note)
                                .withStart(StartPoint.beginning())));
        System.out.println("ready");
        new CountDownLatch(1).await(); // until it is killed
    }

    private static void count(Connection connection, List<LogEvent> events) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into counted values (?, ?, ?, clock_timestamp())")) {
            insert.setLong(1, events.get(0).position());
            insert.setLong(2, events.get(events.size() - 1).position());
            insert.setLong(3, events.size());
            insert.executeUpdate();
        }
    }

    private static void note(Connection connection, LogEvent event) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into arrived values (?, ?::timestamptz, clock_timestamp())")) {
            insert.setObject(1, event.id());
            insert.setString(2, event.createdAt().toString());
            insert.executeUpdate();
        }
    }
}
