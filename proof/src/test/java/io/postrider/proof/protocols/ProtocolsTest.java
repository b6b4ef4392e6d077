package io.postrider.proof.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.proof.interleaving.Session;
import io.postrider.testkit.PostgresTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The sequencer, listeners, retention and the idle lock. */
@PostgresTest
@Tag("slow")
class ProtocolsTest extends Protocols {
    // ── the sequencer and commits ───────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_pass_at_any_moment_loses_nothing_and_tears_nothing() throws Exception {
        Session<Connection> one = Session.named("one", connection())
                .then("emit", c -> emit(c, 1, "a"))
                .then("emit again", c -> emit(c, 2, "a"))
                .then("commit", Connection::commit);
        Session<Connection> two = Session.named("two", connection())
                .then("emit", c -> emit(c, 3, "b"))
                .then("commit", Connection::commit);
        every(
                () -> {
                    pass();
                    assertThat(log()).as("all that was committed").containsExactlyInAnyOrder("a1", "a2", "b3");
                    assertThat(String.join("", log()))
                            .as("one transaction stands together")
                            .contains("a1a2");
                },
                one,
                two,
                passes("sequencer", 2));
        assertRan(210, 210);
    }

    @Test
    void a_rollback_leaves_no_trace() throws Exception {
        Session<Connection> kept = Session.named("kept", connection())
                .then("emit", c -> emit(c, 1, "a"))
                .then("commit", Connection::commit);
        Session<Connection> undone = Session.named("rolled back", connection())
                .then("emit", c -> emit(c, 2, "x"))
                .then("roll back", Connection::rollback);
        every(
                () -> {
                    pass();
                    assertThat(log()).containsExactly("a1");
                },
                kept,
                undone,
                passes("sequencer", 2));
        assertRan(90, 90);
    }

    @Test
    void a_transaction_that_saw_a_commit_comes_after_it() throws Exception {
        Session<Connection> first = Session.named("first", connection())
                .then("number", c -> execute(c, "select pg_current_xact_id()"))
                .then("emit", c -> emit(c, 1, "a"))
                .then("commit", Connection::commit);
        Session<Connection> second = Session.named("second", connection())
                .then("number", c -> execute(c, "select pg_current_xact_id()"))
                .then("emit, seeing or not", c -> emitSeeing(c, 2))
                .then("commit", Connection::commit);
        every(
                () -> {
                    pass();
                    List<String> log = log();
                    assertThat(log).hasSize(2);
                    if (log.contains("saw-a2")) {
                        assertThat(log).as("the second saw the first").containsExactly("a1", "saw-a2");
                    }
                },
                first,
                second,
                passes("sequencer", 2));
        assertRan(560, 280);
    }

    @Test
    void two_sequencers_give_each_event_one_position() throws Exception {
        Session<Connection> producer = Session.named("producer", connection())
                .then("emit", c -> emit(c, 1, "a"))
                .then("commit", Connection::commit);
        every(
                () -> {
                    pass();
                    assertThat(log()).containsExactly("a1");
                },
                producer,
                openPass("sequencer"),
                openPass("rival"));
        assertRan(90, 90);
    }

    @Test
    @Tag("once")
    void two_sequencers_and_two_producers() throws Exception {
        Session<Connection> producer = Session.named("producer", connection())
                .then("emit", c -> emit(c, 1, "a"))
                .then("commit", Connection::commit);
        Session<Connection> another = Session.named("another", connection())
                .then("emit", c -> emit(c, 2, "b"))
                .then("commit", Connection::commit);
        every(
                () -> {
                    pass();
                    assertThat(log()).containsExactlyInAnyOrder("a1", "b2");
                },
                producer,
                another,
                openPass("sequencer"),
                openPass("rival"));
        assertRan(2_520, 280);
    }

    // ── the listener's race ─────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void of_two_owners_of_a_listener_only_one_commits() throws Exception {
        every(
                () -> assertThat(number("select count(*) from effect where n = " + run.get()))
                        .as("effects of one range")
                        .isEqualTo(1),
                worker("worker"),
                worker("zombie"));
        assertRan(70, 70);
    }

    @Test
    void without_the_fence_both_owners_commit() throws Exception {
        String fence = """
                  if last.to_position is distinct from from_position - 1
                     or postrider.is_of_log(topic, to_position, in_era) is not true
                     or postrider.is_in_mode(of_listener, from_position, to_position, as_shadow) is not true then
                    return false;
                  end if;
                """;
        mutate("deliver", fence, "");
        AtomicInteger twice = new AtomicInteger();
        every(
                () -> twice.addAndGet(number("select count(*) from effect where n = " + run.get()) == 2 ? 1 : 0),
                worker("worker"),
                worker("zombie"));
        assertThat(twice.get())
                .as("schedules in which the effect happened twice")
                .isPositive();
    }

    private Session<Connection> worker(String name) throws SQLException {
        boolean[] ours = {false};
        return Session.named(name, connection())
                .then("begin", c -> execute(c, "select 1"))
                .then("effect", c -> execute(c, "insert into effect (n) values (" + run.get() + ")"))
                .then("deliver", c -> ours[0] = deliver(c))
                .then("end", c -> {
                    if (ours[0]) {
                        c.commit();
                    } else {
                        c.rollback();
                    }
                });
    }

    private boolean deliver(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "select postrider.deliver('l" + run.get() + "', 1, 5, 5, 'protocols')")) {
            result.next();
            return result.getBoolean(1);
        }
    }

    // ── retention and a late commit ─────────────────────────────────────────────────────────────────────────────────

    @Test
    @Tag("once")
    void a_segment_is_never_emptied_under_an_event_that_nobody_has_passed() throws Exception {
        Session<Connection> late = Session.named("late", connection())
                .then("emit", c -> emit(c, 1, "late"))
                .then("commit", Connection::commit);
        Session<Connection> retention = Session.named("retention", autocommit())
                .then("rotate", c -> {
                    execute(
                            c,
                            "select setval('postrider.event_ids', s.high) from postrider.segment s, postrider.event_ids i"
                                    + " where s.family = 'log' and s.low <= i.last_value and s.high > i.last_value");
                    execute(c, "select postrider.make_segments(1000000, 1000000)");
                })
                .then("close", c -> execute(c, "select postrider.close_segments('1 hour')"))
                .then("empty", c -> execute(c, "select postrider.empty_segments('0', '1 hour')"));
        every(
                () -> {
                    for (int i = 0; i < 3; i++) {
                        pass();
                    }
                    assertThat(log())
                            .as("an event that its listener has not passed")
                            .containsExactly("late1");
                    // Segments that are left would make the next ones larger, up to the last id.
                    execute(watcher, "select postrider.drop_segments() from generate_series(1, 4)");
                },
                late,
                retention,
                passes("sequencer", 2));
        assertRan(210, 210);
    }

    // ── the idle lock and a commit ──────────────────────────────────────────────────────────────────────────────────

    @Test
    void whoever_commits_while_the_sequencer_falls_asleep_is_found_or_wakes_it() throws Exception {
        boolean[] asleep = {false};
        Connection wire = autocommit();
        execute(wire, "listen postrider");
        PGConnection ear = wire.unwrap(PGConnection.class);
        Session<Connection> sequencer = Session.named("sequencer", wire)
                .then(
                        "try to sleep",
                        c -> asleep[0] =
                                truth(c, "select pg_try_advisory_lock('postrider.event'::regclass::oid::int4, 1)"))
                .then("look once more", c -> execute(c, "select postrider.sequence(1000)"));
        Session<Connection> producer = Session.named("producer", connection())
                .then("begin", c -> execute(c, "select pg_current_xact_id()"))
                .then("emit", c -> emit(c, 1, "a"))
                .then("commit", Connection::commit);
        Session<Connection> another = Session.named("another", connection())
                .then("emit", c -> emit(c, 2, "b"))
                .then("commit", Connection::commit);
        every(
                () -> {
                    boolean woken = heardUptoNow(ear).contains("event");
                    if (asleep[0]) {
                        assertThat(woken || log().size() == 2)
                                .as("asleep: woken, or nothing left to find")
                                .isTrue();
                        execute(wire, "select pg_advisory_unlock('postrider.event'::regclass::oid::int4, 1)");
                    }
                    asleep[0] = false;
                },
                sequencer,
                producer,
                another);
        assertRan(210, 210);
    }

    /** Notifications come in the order of commits: when our own has come, so have all before it. */
    private List<String> heardUptoNow(PGConnection ear) throws SQLException {
        execute(watcher, "notify postrider, 'mark " + run.get() + "'");
        List<String> heard = new ArrayList<>();
        while (!heard.contains("mark " + run.get())) {
            for (PGNotification notification : ear.getNotifications(20_000)) {
                heard.add(notification.getParameter());
            }
        }
        return heard;
    }

    // ── how ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    void prepare() throws SQLException {
        int n = run.get();
        execute(
                watcher,
                "insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                        + " values ('l" + n + "', 't" + n + "', 'transactional', 'block', 100, 5);"
                        + " insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                        + " values ('l" + n + "', 0, 0, 0, 'protocols');"
                        + " delete from postrider.listener where name = 'l" + (n - 1) + "'");
    }

    private Session<Connection> passes(String name, int count) throws SQLException {
        Session<Connection> session = Session.named(name, autocommit());
        for (int i = 0; i < count; i++) {
            session = session.then("pass", c -> execute(c, "select postrider.sequence(1000)"));
        }
        return session;
    }

    private Session<Connection> openPass(String name) throws SQLException {
        return Session.named(name, connection())
                .then("pass", c -> execute(c, "select postrider.sequence(1000)"))
                .then("commit", Connection::commit);
    }

    private void pass() throws SQLException {
        execute(watcher, "select postrider.sequence(1000)");
    }

    private void emit(Connection connection, int n, String type) throws SQLException {
        execute(
                connection,
                "insert into postrider.event (topic, type, payload) values ('t" + run.get() + "', '" + type + n
                        + "', '{}')");
    }

    /** Says in the event whether its transaction could see the first one's. */
    private void emitSeeing(Connection connection, int n) throws SQLException {
        execute(
                connection,
                "insert into postrider.event (topic, type, payload) select 't" + run.get() + "',"
                        + " case when exists (select from postrider.event where topic = 't" + run.get() + "')"
                        + " then 'saw-a' else 'b' end || " + n + ", '{}'");
    }

    /** The types of this run's events in the order of their positions, which are dense. */
    private List<String> log() throws SQLException {
        List<String> types = new ArrayList<>();
        try (PreparedStatement select = watcher.prepareStatement(
                "select position, type from postrider.events where topic = ? order by position")) {
            select.setString(1, "t" + run.get());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    types.add(rows.getString(2));
                    assertThat(rows.getLong(1)).as("positions have no hole").isEqualTo(types.size());
                }
            }
        }
        return types;
    }
}
