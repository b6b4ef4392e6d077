package io.postrider.redis;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A node on a database of its own whose topic is {@code chat}, with a relay to Redis or without. */
final class Chat implements AutoCloseable {
    final TestDatabase database = TestDatabase.createFrom(
            "redis-chat", dataSource -> Postrider.on(dataSource).migrate());
    final HikariDataSource pool = pool(database);
    final Postrider postrider = Postrider.on(pool);
    private final List<AutoCloseable> open = new ArrayList<>();
    private int emitted;

    Chat start() {
        postrider.start();
        return this;
    }

    /** Publishes the topic on the channel, on this node. */
    Chat relay(RedisOptions options) {
        return relay(new RedisPubSubSink(options));
    }

    Chat relay(Sink sink) {
        open.add(sink);
        postrider.add(Listener.relay("to-redis", "chat", sink)
                .withStart(StartPoint.beginning())
                .withBackoff(Duration.ofMillis(5), Duration.ofMillis(50)));
        return this;
    }

    /** The next so many events, in one transaction. */
    synchronized void emit(int count) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(++emitted));
        }
        emit(events);
    }

    void emit(List<Event> events) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            postrider.emitAll(connection, events);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A node opens a connection for each statement that it runs beside its own: without a pool, tests wait for those. */
    static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }

    static Event event(int n) {
        return Event.of("chat", "message:created", "{\"n\": " + n + "}")
                .withId(new UUID(7, n))
                .withKey("conversation-" + n % 3)
                .withProject("p" + n % 2)
                .withHeaders("{\"trace\": \"t" + n + "\"}");
    }

    @Override
    public void close() throws Exception {
        postrider.close();
        for (AutoCloseable one : open) {
            one.close();
        }
        pool.close();
        database.close();
    }
}
