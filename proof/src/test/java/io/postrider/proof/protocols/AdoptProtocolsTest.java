package io.postrider.proof.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.proof.interleaving.Session;
import io.postrider.testkit.PostgresTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bridge, import, mirror and the commits of writers and of the old consumer. */
@PostgresTest
@Tag("slow")
class AdoptProtocolsTest extends Protocols {
    /** If it is there, the table is adopted before the schedule begins. */
    private Connection adopting;

    /** A table with two old rows, and a topic, for each schedule. */
    @Override
    void prepare() throws SQLException {
        execute(
                watcher,
                "create table " + table() + " (id bigserial primary key, event_type text, payload jsonb,"
                        + " processed_at timestamptz)");
        insert(watcher, "old1");
        insert(watcher, "old2");
        if (adopting != null) {
            lock(adopting);
            bridge(adopting);
            importRows(adopting);
            log();
            execute(
                    watcher,
                    "insert into postrider.listener (name, topic, kind, policy, batch, attempts) values ('l" + run.get()
                            + "', '" + topic() + "', 'relay', 'block', 1, 1)");
            deliver(watcher, 0);
        }
    }

    private String table() {
        return "public.outbox_" + run.get();
    }

    private String topic() {
        return "t" + run.get();
    }

    private String spec() {
        return "'{\"source\": \"" + table() + "\", \"kind\": \"events\", \"topic\": \"" + topic()
                + "\", \"id_type\": \"number\","
                + " \"id_sql\": \"bigint\", \"payload_type\": \"json\", \"fields\": {\"id\": \"id\", \"type\": \"event_type\","
                + " \"payload\": \"payload\", \"processed_at\": \"processed_at\"}, \"types\": {}, \"local_times\": [],"
                + " \"not_payload\": [], \"finished\": [], \"in_progress\": []}'";
    }

    private void insert(Connection connection, String type) throws SQLException {
        execute(connection, "insert into " + table() + " (event_type, payload) values ('" + type + "', '{}')");
    }

    private void lock(Connection connection) throws SQLException {
        execute(connection, "select postrider.adopt_lock('" + table() + "', 0, false)");
    }

    private void bridge(Connection connection) throws SQLException {
        execute(connection, "select postrider.adopt_attach(" + spec() + ", 'hold')");
        execute(
                connection,
                "insert into postrider.adoption (source, state, topic, spec, import_mode) values ('" + table()
                        + "', 'holding', '" + topic() + "', " + spec() + ", 'all')");
        connection.commit();
    }

    private void importRows(Connection connection) throws SQLException {
        while (truth(connection, "select more from postrider.adopt_import('" + table() + "', 100)")) {
            connection.commit();
        }
        connection.commit();
    }

    private void emitFromNowOn(Connection connection) throws SQLException {
        execute(connection, "select postrider.adopt_release('" + table() + "', 100)");
        execute(connection, "select postrider.adopt_attach(" + spec() + ", 'emit')");
        connection.commit();
    }

    private Session<Connection> adopter() throws SQLException {
        return Session.named("adopter", connection())
                .then("lock", this::lock)
                .then("bridge", this::bridge)
                .then("import", this::importRows)
                .then("lock again", this::lock)
                .then("emit from now on", this::emitFromNowOn);
    }

    private Session<Connection> writer() throws SQLException {
        return Session.named("writer", connection())
                .then("insert", c -> insert(c, "a1"))
                .then("commit", Connection::commit)
                .then("insert and commit", c -> {
                    insert(c, "a2");
                    c.commit();
                });
    }

    private Session<Connection> repeatable() throws SQLException {
        return Session.named("writer in repeatable read", connection())
                .then("snapshot", c -> {
                    execute(c, "set transaction isolation level repeatable read");
                    execute(c, "select 1");
                })
                .then("insert and commit", c -> {
                    insert(c, "b");
                    c.commit();
                });
    }

    private List<String> log() throws SQLException {
        execute(watcher, "select postrider.sequence(1000)");
        return List.of(text(
                        watcher,
                        "select string_agg(type, ' ' order by position) from postrider.events where topic = '" + topic()
                                + "'")
                .split(" ", -1));
    }

    @Test
    void every_row_is_emitted_once_and_in_order_whenever_it_is_written() throws Exception {
        every(
                () -> {
                    List<String> log = log();
                    assertThat(log).containsExactlyInAnyOrder("old1", "old2", "a1", "a2", "b");
                    assertThat(log.subList(0, 2)).as("old rows first").containsExactly("old1", "old2");
                    assertThat(log.indexOf("a1")).isLessThan(log.indexOf("a2"));
                    assertThat(number("select count(*) from postrider.adopted where source = '" + table() + "'"))
                            .isEqualTo(5);
                    assertThat(number("select count(*) from postrider.adoption_held where source = '" + table() + "'"))
                            .isZero();
                },
                adopter(),
                writer(),
                repeatable());
        assertRan(2_520, 280);
    }

    /** The control: a trigger that emits at once lets a new row overtake the old ones. */
    @Test
    void without_the_hold_a_new_row_comes_before_the_old_ones() throws Exception {
        mutate("adopt_bridge", "if tg_argv[0] = 'hold' then", "if false then");
        one(
                "AABBAAABCC",
                () -> assertThat(log()).containsExactly("a1", "old1", "old2", "a2", "b"),
                adopter(),
                writer(),
                repeatable());
    }

    @Test
    void the_mirror_marks_what_is_finished_and_keeps_what_the_old_consumer_wrote() throws Exception {
        adopting = connection();
        Session<Connection> listener = Session.named("listener", autocommit())
                .then("finish the first", c -> deliver(c, 1))
                .then("finish the second", c -> deliver(c, 2));
        Session<Connection> mirror = Session.named("mirror", connection())
                .then("write back", this::mirror)
                .then("commit", Connection::commit)
                .then("write back again", this::mirror)
                .then("commit again", Connection::commit);
        Session<Connection> consumer = Session.named("old consumer", connection())
                .then(
                        "mark",
                        c -> execute(
                                c,
                                "update " + table()
                                        + " set processed_at = '2000-01-01' where id = 1 and processed_at is null"))
                .then("commit", Connection::commit);
        every(
                () -> {
                    assertThat(number("select count(*) from " + table() + " where id = 1 and processed_at is null"))
                            .as("marked by the old consumer, if by nobody else")
                            .isZero();
                    mirror(watcher);
                    assertThat(text(
                                    watcher,
                                    "select string_agg((processed_at is not null)::text, ' ') from " + table()))
                            .isEqualTo("true true");
                    assertThat(number("select mirrored_to from postrider.adoption where source = '" + table() + "'"))
                            .isEqualTo(2);
                },
                listener,
                mirror,
                consumer);
        assertRan(420, 210);
    }

    private void deliver(Connection connection, int position) throws SQLException {
        execute(
                connection,
                "insert into postrider.delivery (listener, from_position, to_position, events, worker) values ('l"
                        + run.get() + "', " + position + ", " + position + ", 1, 'test')");
    }

    private void mirror(Connection connection) throws SQLException {
        execute(
                connection,
                "select postrider.adopt_mirror_events(a.source, 100) from postrider.adoption a where a.source = '"
                        + table() + "'");
    }
}
