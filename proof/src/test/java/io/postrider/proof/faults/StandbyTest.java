package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.StartPoint;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.TcpProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Readers on a standby, and nodes whose primary has become one. */
@Tag("slow")
@Tag("once")
@NeedsProgram("pg_basebackup")
class StandbyTest {
    private static final String TOPIC = "orders";
    private static final int EVENTS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Commits can become visible in another order on a standby than on the primary. A position is assigned by a later transaction than
     * that of its event, so a reader that follows positions sees a prefix of the log at any moment.
     */
    @Test
    void a_reader_on_a_standby_sees_a_prefix_of_the_log_at_any_moment() throws Exception {
        try (Cluster primary = Cluster.make().start().createDatabase("shop");
                Cluster standby = Cluster.standbyOf(primary, primary.port()).start();
                Node node = Node.start(primary.url("shop"), "node", options -> options, List.of());
                Load load =
                        new Load(primary.dataSource("shop"), TOPIC, Seed.next("standby"), 4, Duration.ofMillis(4))) {
            DataSource there = standby.dataSource("shop");
            Await.until("the schema is there", PATIENCE, () -> events(there).isEmpty());
            Traces.create(primary.dataSource("shop")); // the load counts versions there
            load.start();
            List<String> read = new ArrayList<>();
            AtomicInteger looks = new AtomicInteger();
            Await.until(EVENTS + " events are read", PATIENCE, () -> {
                List<String> seen = events(there);
                requirePrefix(read, seen);
                read.clear();
                read.addAll(seen);
                looks.incrementAndGet();
                return read.size() >= EVENTS;
            });
            load.stop();
            assertThat(looks.get()).isGreaterThan(5);
            assertThat(events(primary.dataSource("shop")).subList(0, read.size()))
                    .isEqualTo(read);
        }
    }

    /** The log that is seen continues the one that was read, and has no gap. */
    private static void requirePrefix(List<String> read, List<String> seen) {
        assertThat(seen).hasSizeGreaterThanOrEqualTo(read.size());
        assertThat(seen.subList(0, read.size())).isEqualTo(read);
        assertThat(seen.stream().map(event -> Long.valueOf(event.substring(0, event.indexOf(' ')))))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, seen.size()).boxed().toList());
    }

    private static List<String> events(DataSource dataSource) throws SQLException {
        return Rows.texts(
                dataSource,
                "select position || ' ' || event_id from postrider.events where topic = '" + TOPIC
                        + "' order by position");
    }

    /**
     * A pool that was filled while its address still led to the demoted primary. Those connections work, for reading, so the pool
     * keeps them; a node must not fail on them until they reach their maximum lifetime.
     */
    @Test
    void a_node_gives_up_connections_that_lead_to_the_demoted_primary() throws Exception {
        try (Cluster first = Cluster.make().start().createDatabase("shop");
                Cluster second = Cluster.standbyOf(first, first.port()).start();
                TcpProxy address = TcpProxy.to(first.port());
                HikariDataSource pool =
                        Node.pool(first.url("shop").replace(":" + first.port(), ":" + address.port()), 6);
                Postrider postrider = Postrider.on(pool, Options.defaults().withNode("node"))) {
            postrider.migrate();
            Rows.execute(first.dataSource("shop"), "create table booked (position bigint primary key)");
            postrider
                    .add(Listener.transactional("booking", TOPIC, StandbyTest::book)
                            .withStart(StartPoint.beginning())
                            .withAttempts(1))
                    .start();
            emit(first.dataSource("shop"), 10);
            Await.until("all are booked", PATIENCE, () -> booked(first) == 10);

            first.stop();
            Rows.execute(second.dataSource("postgres"), "select pg_promote()");
            first.set("primary_conninfo = 'host=127.0.0.1 port=" + second.port() + " user=postgres'");
            first.standBy();
            first.start();
            List<Connection> stale = new ArrayList<>();
            while (stale.size() < 4) {
                Connection connection = pool.getConnection();
                if (connection.isValid(10)) {
                    stale.add(connection);
                } else {
                    pool.evictConnection(connection); // of before the restart
                }
            }
            assertThat(refusal(postrider, stale.get(0))).hasMessageContaining("connect to the primary");
            for (Connection connection : stale) {
                connection.close(); // the pool rolls back
            }

            address.moveTo(second.port());
            emit(second.dataSource("shop"), 10);
            Await.until("the others are booked, too", PATIENCE, () -> booked(second) == 20);
            assertThat(Rows.number(second.dataSource("shop"), "select count(*) from postrider.dead_letter"))
                    .isZero();
        }
    }

    private static void book(Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into booked values (?)")) {
            insert.setLong(1, event.position());
            insert.executeUpdate();
        }
    }

    private static long booked(Cluster cluster) throws SQLException {
        return Rows.number(cluster.dataSource("shop"), "select count(*) from booked");
    }

    private static PostriderException refusal(Postrider postrider, Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        return catchThrowableOfType(
                PostriderException.class, () -> postrider.emit(connection, Event.of(TOPIC, "a", "{}")));
    }

    private static void emit(DataSource dataSource, int count) throws SQLException {
        Rows.execute(
                dataSource,
                "insert into postrider.event (topic, type, payload) select '" + TOPIC
                        + "', 'a', '{}' from generate_series(1, " + count + ")");
    }
}
