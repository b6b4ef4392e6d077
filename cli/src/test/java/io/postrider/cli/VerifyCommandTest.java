package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That it finds nothing where nothing is wrong, and each kind of damage where there is one. */
@Tag("slow")
class VerifyCommandTest {
    private TestDatabase database;
    private Shell shell;

    @BeforeEach
    void open() {
        database = TestDatabase.createFrom("verify", VerifyCommandTest::fill);
        shell = new Shell(database);
    }

    @AfterEach
    void close() {
        new Migrated.Held(database).close();
    }

    /** Three transactions of four events on one topic, one on another, and a listener that has handled them. */
    private static void fill(DataSource dataSource) throws SQLException {
        Postrider.on(dataSource).migrate();
        try (Postrider node = Postrider.on(dataSource)) {
            for (int i = 0; i < 3; i++) {
                emit(node, dataSource, Collections.nCopies(4, Event.of("orders", "order.placed", "{}")));
            }
            emit(node, dataSource, List.of(Event.of("bills", "bill.sent", "{}")));
            node.add(Listener.relay("mail", "orders", event -> {})
                            .withStart(StartPoint.beginning())
                            .withBatch(3))
                    .start();
            Await.until(
                    "mail is at the head",
                    Duration.ofSeconds(60),
                    () -> node.listeners().list().stream().anyMatch(one -> one.position() == 12));
        }
    }

    private static void emit(Postrider node, DataSource dataSource, List<Event> events) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            node.emitAll(connection, events);
            connection.commit();
        }
    }

    private Ran broken(String damage, String check, String offender) {
        Shell.execute(database, damage);
        Ran ran = shell.run("verify");
        assertThat(ran.code()).as(ran.out()).isEqualTo(1);
        assertThat(ran.lines()).anyMatch(line -> line.startsWith("fail  " + check));
        assertThat(ran.out()).contains(offender);
        return ran;
    }

    @Test
    void every_guarantee_of_a_correct_log_holds() {
        Ran ran = shell.ok("verify");
        assertThat(ran.lines()).hasSize(5).allMatch(line -> line.startsWith("ok "));
        assertThat(ran.lines().get(0)).matches("ok +events +13 .*");
        assertThat(ran.lines().get(1)).matches("ok +positions +13 .*2 topics.*");
        assertThat(ran.lines().get(2)).matches("ok +transactions +4 .*");
        assertThat(ran.lines().get(3)).matches("ok +ledgers +[0-9]+ .*1 listener.*");
        assertThat(ran.lines().get(4)).matches("ok +jobs +0 .*0 lanes.*");
    }

    @Test
    void json_output_has_the_same_results() {
        assertThat(shell.ok("verify", "--json").lines())
                .hasSize(5)
                .allMatch(line -> line.contains("\"violations\":0,\"offenders\":[]"))
                .first()
                .asString()
                .startsWith(
                        "{\"name\":\"events\",\"promise\":\"every committed event has exactly one position\",\"counted\":13");
    }

    @Test
    void every_guarantee_of_an_empty_log_holds() {
        shell.ok("migrate", "--schema", "other");
        assertThat(shell.ok("verify", "--schema", "other").lines()).allMatch(line -> line.startsWith("ok "));
    }

    @Test
    void a_lost_event_is_found() {
        broken("delete from postrider.log where topic = 'orders' and position = 12", "events", "lost");
    }

    @Test
    void a_gap_in_the_positions_is_found() {
        broken(
                "delete from postrider.log where topic = 'orders' and position = 5",
                "positions",
                "orders position 6: a hole of 1");
    }

    @Test
    void a_missing_beginning_is_found() {
        broken("delete from postrider.log where topic = 'orders' and position <= 4", "positions", "orders position 5");
    }

    @Test
    void an_event_with_two_positions_is_found() {
        broken(
                "insert into postrider.log (position, tx, id, topic) select 13, tx, id, topic from postrider.log"
                        + " where topic = 'orders' and position = 1",
                "events",
                "repeated {1,13}");
    }

    @Test
    void a_position_given_twice_is_found() {
        broken(
                "update postrider.log set position = 6 where topic = 'orders' and position = 7",
                "positions",
                "orders position 6: given twice");
    }

    @Test
    void a_position_without_an_event_is_found() {
        broken(
                "delete from postrider.event e using postrider.log l where l.tx = e.tx and l.id = e.id"
                        + " and l.topic = 'orders' and l.position = 2",
                "events",
                "no event");
    }

    @Test
    void a_head_that_is_not_the_last_position_is_found() {
        broken(
                "insert into postrider.head (topic, position, n) values ('orders', 99, 99)",
                "positions",
                "orders position 12: the last position, but the head is 99");
    }

    @Test
    void a_transaction_whose_events_are_not_contiguous_is_found() {
        broken(
                "update postrider.log set position = case position when 4 then 5 else 4 end"
                        + " where topic = 'orders' and position in (4, 5)",
                "transactions",
                "4 events at positions 1..5");
    }

    @Test
    void a_broken_ledger_is_found() {
        broken(
                "delete from postrider.delivery where n = (select n from postrider.delivery where from_position > 0"
                        + " order by n limit 1)",
                "ledgers",
                "listener mail went on at");
    }

    @Test
    void a_range_that_was_delivered_twice_is_found() {
        broken(
                "insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                        + " select listener, from_position, to_position, events, worker from postrider.delivery"
                        + " where listener = 'mail' order by n desc limit 1",
                "ledgers",
                "listener mail went on at");
    }

    @Test
    void a_cursor_beyond_the_head_is_found() {
        broken(
                "insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                        + " values ('mail', 13, 20, 0, 'test')",
                "ledgers",
                "listener mail is at 20, beyond the head 12");
    }

    @Test
    void an_uncommitted_event_is_ignored() throws SQLException {
        try (Connection emitter = database.dataSource().getConnection();
                Statement statement = emitter.createStatement()) {
            emitter.setAutoCommit(false);
            statement.execute("select postrider.emit('orders', 'order.placed', '{}')");
            shell.ok("emit", "orders", "order.placed");
            assertThat(shell.ok("verify").lines().get(0)).matches("ok +events +14 .*");
            emitter.commit();
        }
        assertThat(shell.ok("verify").lines().get(0)).matches("ok +events +15 .*");
    }

    @Test
    void a_role_that_may_not_sequence_sees_waiting_events() {
        shell.ok("emit", "orders", "order.placed");
        try (Role role = new Role(database)
                .granted("usage on schema postrider")
                .granted("select on all tables in schema postrider")) {
            Ran ran = new Shell().ok("verify", "--database-url", role.url());
            assertThat(ran.out()).contains("1 not placed yet");
        }
    }

    @Test
    void events_that_retention_deleted_are_not_reported_as_lost() {
        Shell.execute(
                database,
                "update postrider.segment set closed_at = clock_timestamp() where family = 'log' and low = 0");
        Shell.execute(database, "insert into postrider.segment_topic values (0, 'orders', 1, 12), (0, 'bills', 1, 1)");
        Shell.execute(
                database,
                "select setval('postrider.event_ids', (select high from postrider.segment"
                        + " where family = 'log' order by low limit 1))");
        shell.ok("emit", "orders", "order.placed");
        shell.ok("tail", "orders", "-n", "1");
        Shell.execute(database, "select postrider.empty_segments(interval '0', interval '0')");
        Ran ran = shell.ok("verify");
        assertThat(ran.lines().get(1)).matches("ok +positions +1 .*gaps left by retention.*");
    }

    @Test
    void it_leaves_no_transaction_behind() {
        broken("delete from postrider.log where topic = 'orders' and position = 5", "positions", "hole");
        Await.until("no session is left", () -> database.sessions().isEmpty());
    }
}
