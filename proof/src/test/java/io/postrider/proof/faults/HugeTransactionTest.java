package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestRun;
import io.postrider.testkit.TestServer;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Millions of events pass through a node with 64 MB of heap while another topic continues (G5, G6, trap 21). A usual run
 * has a tenth of the events and 48 MB of heap, which still cannot hold them: they take some 125 MB.
 */
@Tag("slow")
@Tag("once")
@Tag("alone")
class HugeTransactionTest {
    private static final int GIANT = TestRun.count(500_000, 5_000_000);
    private static final int BACKLOG = TestRun.count(500_000, 5_000_000);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** How long an event of another topic may take while millions are open or given out. */
    private static final long LONGEST_MILLIS = 3_000;

    /** And while they are counted, at most: that is one pass, 0.6 s of a core for a million on an idle machine. */
    private static final long LONGEST_COUNT_MILLIS = 15_000;

    private EmbeddedPostgres server;
    private DataSource dataSource;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean trickling = true;

    @BeforeEach
    void start() throws Exception {
        server = EmbeddedPostgres.start(TestServer.options()
                .withSetting("fsync", "off") // who holds up whom is the question, not how quick the disk is
                .withSetting("max_wal_size", "12GB")
                .withSetting("checkpoint_timeout", "1h")
                .withSetting("shared_buffers", "512MB"));
        server.createDatabase("giant");
        dataSource = server.dataSource("giant");
        Postrider.on(dataSource, Options.defaults().withSegmentSize(4_000_000)).migrate();
        Rows.execute(dataSource, GiantMain.TABLES);
    }

    @AfterEach
    void stop() {
        trickling = false;
        threads.shutdownNow();
        server.close();
    }

    @Test
    void one_transaction_of_very_many_events() throws Exception {
        try (ChildJvm node = node()) {
            Future<?> trickle = threads.submit(this::trickle);
            Await.until("the trickle runs", PATIENCE, () -> arrived() > 20);
            Instant begun = Instant.now();
            Rows.execute(
                    dataSource,
                    "insert into postrider.event (topic, type, payload)"
                            + " select 'giant', 'row', '{\"a\": 1}' from generate_series(1, " + GIANT + ")");
            Instant committed = Instant.now();
            Await.until("the first piece has its positions", PATIENCE, () -> head() > 0);
            Instant counted = Instant.now();
            Await.until("all have their positions", PATIENCE, () -> head() == GIANT);
            Instant placed = Instant.now();
            Await.until("all are handled", PATIENCE, () -> handled() == GIANT);
            Instant handled = Instant.now();
            trickling = false;
            trickle.get();
            Await.until("the trickle has arrived", PATIENCE, () -> arrived() == emitted());

            long open = worst("created_at > '" + begun + "' and at < '" + committed + "'");
            long counting = worst("at >= '" + committed + "' and created_at < '" + counted + "'");
            long draining = worst("created_at between '" + counted + "' and '" + handled + "'");
            System.out.printf(
                    "one transaction of %,d: inserted in %d ms, counted in %d ms, placed after %d ms, handled after %d ms"
                            + " (%,d/s); the other topic at worst %d ms while it was open, %d ms while it was counted,"
                            + " %d ms while it was given out; its median %d ms%n",
                    GIANT,
                    millis(begun, committed),
                    millis(committed, counted),
                    millis(committed, placed),
                    millis(committed, handled),
                    GIANT * 1000L / millis(committed, handled),
                    open,
                    counting,
                    draining,
                    median());
            checkCounted(GIANT);
            assertThat(open).isLessThanOrEqualTo(LONGEST_MILLIS);
            assertThat(counting).isLessThanOrEqualTo(longestCount(millis(begun, committed)));
            assertThat(draining).isLessThanOrEqualTo(LONGEST_MILLIS);
            assertThat(node.isAlive()).isTrue();
        }
    }

    /** Real transactions of 1,000 events each: with smaller ones, emitting would take longer than handling. */
    @Test
    void a_backlog_of_very_many_events() throws Exception {
        Rows.texts(dataSource, "select n from postrider.sequence(1)"); // somebody was there before, and went
        PGSimpleDataSource quick = new PGSimpleDataSource();
        quick.setUrl(server.jdbcUrl("giant") + "&options=-c%20synchronous_commit=off");
        Instant inserting = Instant.now();
        Rows.execute(
                quick,
                "do $$ begin for i in 1.." + BACKLOG / 1_000 + " loop"
                        + " insert into postrider.event (topic, type, payload)"
                        + " select 'giant', 'row', '{\"a\": 1}' from generate_series(1, 1000); commit; end loop; end $$");
        Instant begun = Instant.now();
        Future<?> trickle = threads.submit(this::trickle);
        try (ChildJvm node = node()) {
            Instant ready = Instant.now();
            Await.until("all have their positions", PATIENCE, () -> head() == BACKLOG);
            Instant placed = Instant.now();
            Await.until("all are handled", PATIENCE, () -> handled() == BACKLOG);
            Instant handled = Instant.now();
            trickling = false;
            trickle.get();
            Await.until("the trickle has arrived", PATIENCE, () -> arrived() == emitted());
            long worst = worst("created_at between '" + ready + "' and '" + handled + "'");
            System.out.printf(
                    "a backlog of %,d: placed after %d ms, handled after %d ms (%,d/s); the other topic at worst %d ms, of"
                            + " what was emitted after the node was up%n",
                    BACKLOG,
                    millis(begun, placed),
                    millis(begun, handled),
                    BACKLOG * 1000L / millis(begun, handled),
                    worst);
            checkCounted(BACKLOG);
            assertThat(worst).isLessThanOrEqualTo(longestCount(millis(inserting, begun)));
            assertThat(node.isAlive()).isTrue();
        }
    }

    /** To count events is quicker than to insert them, which took this long on this machine. */
    private static long longestCount(long insertMillis) {
        return Math.min(LONGEST_COUNT_MILLIS, LONGEST_MILLIS + insertMillis);
    }

    private ChildJvm node() {
        ChildJvm node = ChildJvm.of(GiantMain.class)
                .withHeap(TestRun.proves() ? "64m" : "48m")
                .withArguments(server.jdbcUrl("giant"))
                .start();
        node.awaitLine("ready", PATIENCE);
        return node;
    }

    /** An event every 20 ms, each in a transaction of its own. */
    private Void trickle() throws Exception {
        Postrider postrider = Postrider.on(dataSource);
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            while (trickling) {
                postrider.emit(connection, Event.of("trickle", "drop", "{}"));
                connection.commit();
                LockSupport.parkNanos(20_000_000); // the rate, not a wait
            }
        }
        return null;
    }

    /** In order, without a gap, each once. */
    private void checkCounted(long events) throws Exception {
        assertThat(Rows.texts(dataSource, """
                select s.before || ' then ' || s.first || '..' || s.last from (
                  select first, last, events, lag(last, 1, 0::bigint) over (order by first) as before from counted
                ) s
                where s.first <> s.before + 1 or s.last - s.first + 1 <> s.events
                """)).isEmpty();
        assertThat(Rows.number(dataSource, "select max(last) from counted")).isEqualTo(events);
        assertThat(Rows.number(dataSource, "select count(*) from postrider.log where topic = 'giant'"))
                .isEqualTo(events);
    }

    /** The longest way from emit to handler, in milliseconds, of some; by the database's clock. */
    private long worst(String which) throws Exception {
        return Rows.number(
                dataSource,
                "select coalesce(max(extract(epoch from at - created_at) * 1000)::bigint, 0)" + " from arrived where "
                        + which);
    }

    private long median() throws Exception {
        return Rows.number(
                dataSource,
                "select (extract(epoch from percentile_disc(0.5) within group"
                        + " (order by at - created_at)) * 1000)::bigint from arrived");
    }

    private long head() throws Exception {
        return Rows.number(
                dataSource,
                "select coalesce((select position from postrider.head where topic = 'giant'"
                        + " order by position desc limit 1), 0)");
    }

    private long handled() throws Exception {
        return Rows.number(
                dataSource,
                "select to_position from postrider.delivery where listener = 'count'" + " order by n desc limit 1");
    }

    private long arrived() throws Exception {
        return Rows.number(dataSource, "select count(*) from arrived");
    }

    private long emitted() throws Exception {
        return Rows.number(dataSource, "select max(position) from postrider.head where topic = 'trickle'");
    }

    private static long millis(Instant from, Instant to) {
        return Duration.between(from, to).toMillis();
    }
}
