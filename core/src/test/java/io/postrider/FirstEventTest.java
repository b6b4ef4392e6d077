package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

@PostgresTest
class FirstEventTest {
    @Test
    void an_event_reaches_both_kinds_of_listener_after_its_commit(TestDatabase database) {
        List<LogEvent> sent = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.execute("create table booked (position bigint primary key)");
            node.with(
                    Listener.transactional("ledger", "orders", FirstEventTest::book),
                    Listener.relay("mail", "orders", sent::add));
            for (int i = 1; i <= 50; i++) {
                node.emit(Event.of("orders", "order.placed", "{\"order\":" + i + "}")
                        .withKey("k" + i));
            }
            node.awaitCursor("ledger", 50);
            node.awaitCursor("mail", 50);
            assertThat(node.number("select count(*) from booked")).isEqualTo(50);
            assertThat(sent)
                    .extracting(LogEvent::position)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 50).boxed().toList());
        }
    }

    @Test
    void an_event_that_is_rolled_back_is_never_delivered(TestDatabase database) {
        List<LogEvent> sent = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database)) {
            node.with(Listener.relay("mail", "orders", sent::add));
            node.inTransaction(connection -> {
                node.postrider.emit(connection, Event.of("orders", "first", "{}"));
                connection.rollback();
                node.postrider.emit(connection, Event.of("orders", "second", "{}"));
                var savepoint = connection.setSavepoint();
                node.postrider.emit(connection, Event.of("orders", "third", "{}"));
                connection.rollback(savepoint);
            });
            Await.until("the second arrived", () -> sent.size() == 1);
            node.emit(Event.of("orders", "fourth", "{}"));
            Await.until("the fourth arrived", () -> sent.size() == 2);
            assertThat(sent).extracting(LogEvent::type).containsExactly("second", "fourth");
        }
    }

    private static void book(Connection connection, LogEvent event) throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("insert into booked values (?)")) {
            insert.setLong(1, event.position());
            insert.executeUpdate();
        }
    }
}
