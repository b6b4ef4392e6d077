package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.admin.Listeners;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Broadcasting as a listener: with a name, a cursor and a row in {@code listeners}. */
@PostgresTest
@Tag("slow")
class ListenerFeedTest {
    private static final String TOPIC = "orders";
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void events_reach_the_rooms_and_the_listener_has_a_row_with_its_cursor(TestDatabase database) throws Exception {
        try (Postrider node = node(database);
                Served served = serve(node, database)) {
            SocketClient client = served.socket(served.token("ann", "p1", PROJECT), null, "project:p1");
            client.await("position");
            emit(node, database, 1, 30);
            client.awaitEvents(30);
            assertThat(client.positions()).isEqualTo(range(1, 30));
            Await.until("its cursor is at the head", LONG, () -> row(node).position() == 30);
            assertThat(row(node).kind()).isEqualTo("relay");
            assertThat(row(node).owner()).isEqualTo("gateway");
        }
    }

    @Test
    void paused_it_broadcasts_nothing_and_resumed_it_goes_on_where_it_was(TestDatabase database) throws Exception {
        try (Postrider node = node(database);
                Served served = serve(node, database)) {
            SocketClient client = served.socket(served.token("ann", "p1", PROJECT), null, "project:p1");
            client.await("position");
            emit(node, database, 1, 5);
            client.awaitEvents(5);
            Await.until("its cursor is at the head", LONG, () -> row(node).position() == 5);
            node.pause("broadcast");
            Await.until("its node has let it stand", LONG, () -> tenures(database) == 0);
            emit(node, database, 6, 9);
            Await.until("the lag is visible", LONG, () -> row(node).lag() == 4);
            assertThat(client.positions()).hasSize(5);
            node.resume("broadcast");
            client.awaitEvents(9);
            assertThat(client.positions()).isEqualTo(range(1, 9));
        }
    }

    @Test
    void after_a_restart_it_continues_at_its_cursor_and_a_client_misses_nothing(TestDatabase database)
            throws Exception {
        TokenMint mint = TokenMint.random("https://issuer.test", "postrider");
        try (Postrider node = node(database);
                Served served = serve(node, database, mint)) {
            emit(node, database, 1, 10);
            Await.until("its cursor is at the head", LONG, () -> row(node).position() == 10);
        }
        try (Postrider between = Postrider.on(database.dataSource())) {
            emit(between, database, 11, 14);
            between.log().sequence();
        }
        try (Postrider node = node(database);
                Served served = serve(node, database, mint)) {
            SocketClient client = served.socket(served.token("ann", "p1", PROJECT), 8L, "project:p1");
            client.awaitEvents(6);
            emit(node, database, 15, 20);
            client.awaitEvents(12);
            assertThat(client.positions()).isEqualTo(range(9, 20));
        }
    }

    @Test
    void a_reset_back_sends_nothing_twice(TestDatabase database) throws Exception {
        try (Postrider node = node(database);
                Served served = serve(node, database)) {
            SocketClient client = served.socket(served.token("ann", "p1", PROJECT), null, "project:p1");
            client.await("position");
            emit(node, database, 1, 5);
            client.awaitEvents(5);
            node.reset("broadcast", io.postrider.StartPoint.beginning());
            emit(node, database, 6, 7);
            client.awaitEvents(7);
            Await.until("its cursor is at the head", LONG, () -> row(node).position() == 7);
            assertThat(client.positions()).isEqualTo(range(1, 7));
        }
    }

    private static Postrider node(TestDatabase database) {
        return Postrider.on(database.dataSource(), Options.defaults().withNode("gateway"))
                .migrate()
                .start();
    }

    private static Served serve(Postrider node, TestDatabase database) throws Exception {
        return serve(node, database, TokenMint.random("https://issuer.test", "postrider"));
    }

    private static Served serve(Postrider node, TestDatabase database, TokenMint mint) throws Exception {
        return new Served(
                node,
                database.dataSource(),
                GatewayOptions.of(TOPIC),
                new ListenerFeed(node, topic -> "broadcast"),
                mint);
    }

    private static Listeners.Status row(Postrider node) {
        return node.listeners().list().stream()
                .filter(listener -> listener.name().equals("broadcast"))
                .findFirst()
                .orElseThrow();
    }

    private static long tenures(TestDatabase database) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from postrider.tenure"
                        + " where listener = 'broadcast' and ended_at is null")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static void emit(Postrider node, TestDatabase database, int from, int to) throws Exception {
        List<Event> events = LongStream.rangeClosed(from, to)
                .mapToObj(n -> Event.of(TOPIC, "said", "{\"n\":" + n + "}").withProject("p1"))
                .toList();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            node.emitAll(connection, events);
            connection.commit();
        }
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }
}
