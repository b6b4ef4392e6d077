package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Fate;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.TestRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How soon the jobs of a killed worker start again, with one node and with several that take over at the same time, on
 * Debian's PostgreSQL with {@code jit = on}. {@code ./test prove} runs every size 10 times.
 */
@Tag("slow")
@Tag("alone")
@Tag("once")
@NeedsProgram("pg_dump")
class TakeoverTest {
    private static final int TRIALS = TestRun.count(1, 10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CLAIM = 2_000;

    private static Cluster cluster;
    private static int databases;

    @BeforeAll
    static void startServer() throws Exception {
        cluster = Cluster.make("max_connections = 150").start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        cluster.close();
    }

    static Stream<Arguments> sizes() {
        if (TRIALS == 1) {
            return Stream.of(
                    Arguments.of(1, 60_000), Arguments.of(3, 1_000), Arguments.of(3, 10_000), Arguments.of(8, 60_000));
        }
        return Stream.of(1, 3, 8)
                .flatMap(nodes -> Stream.of(1_000, 10_000, 60_000).map(jobs -> Arguments.of(nodes, jobs)));
    }

    @ParameterizedTest(name = "{0} nodes, {1} jobs")
    @MethodSource("sizes")
    void the_first_job_of_a_killed_worker_is_begun_again_within_two_seconds(int nodes, int jobs) throws Exception {
        List<Long> millis = new ArrayList<>();
        String said = listen(() -> {
            for (int trial = 0; trial < TRIALS; trial++) {
                millis.add(trial(nodes, jobs));
            }
        });
        millis.sort(null);
        System.out.printf("takeover of %d jobs by %d nodes: first restart after %s ms%n", jobs, nodes, millis);
        assertThat(said.lines().filter(line -> line.contains("takeover_failed")))
                .isEmpty();
        assertThat(millis.get((millis.size() * 99 + 99) / 100 - 1)).as("p99").isLessThanOrEqualTo(2_000);
    }

    private static long trial(int count, int jobs) throws Exception {
        String name = "takeover_" + ++databases;
        DataSource shop = cluster.createDatabase(name).dataSource(name);
        Postrider.on(shop).migrate();
        Rows.execute(shop, "select postrider.enqueue('q', 't', '{}') from generate_series(1, " + jobs + ")");
        AtomicLong begunAt = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(1);
        List<HikariDataSource> pools = new ArrayList<>();
        List<Postrider> nodes = new ArrayList<>();
        try (Connection wire = shop.getConnection();
                Connection ghost = shop.getConnection()) {
            long worker = claimAll(wire, jobs);
            ghost.setAutoCommit(false);
            text(ghost, "select postrider.is_at_work(" + worker + ")"); // stopped in the middle of a settlement
            for (int i = 0; i < count; i++) {
                pools.add(Node.pool(cluster.url(name), 6));
                nodes.add(Postrider.on(pools.get(i), Options.defaults().withNode("node-" + i))
                        .add(Worker.on("q").withSlots(16).handling("t", job -> {
                            begunAt.compareAndSet(0, System.nanoTime());
                            begun.countDown();
                            return Fate.done();
                        }))
                        .start());
            }
            Await.until(
                    "all nodes have registered",
                    PATIENCE,
                    () -> Rows.number(shop, "select count(*) from postrider.worker where ended_at is null")
                            == count + 1);
            String pid = text(wire, "select pg_backend_pid()");
            long killedAt = System.nanoTime();
            Rows.execute(shop, "select pg_terminate_backend(" + pid + ")");
            assertThat(begun.await(60, TimeUnit.SECONDS))
                    .as("a job is begun again")
                    .isTrue();
            Await.until(
                    "all jobs are handed over",
                    PATIENCE,
                    () -> Rows.number(
                                    shop,
                                    "select coalesce(sum(upper(r) - lower(r)), 0) from postrider.settlement s,"
                                            + " unnest(s.positions) r where s.fate = 'aside'")
                            == jobs);
            return (begunAt.get() - killedAt) / 1_000_000;
        } finally {
            nodes.forEach(Postrider::close);
            pools.forEach(HikariDataSource::close);
        }
    }

    /** Acts like a worker: signs in, locks its number in its session, claims. */
    private static long claimAll(Connection wire, int jobs) throws SQLException {
        while (text(wire, "select more from postrider.sequence(10000)") != null) {
            // gives all jobs their positions
        }
        long worker = Long.parseLong(text(wire, "insert into postrider.worker (node) values ('dead') returning id"));
        text(wire, "select pg_advisory_lock('postrider.worker'::regclass::oid::int4, " + worker + ")::text");
        long oldest = 0;
        for (int claimed = 0; claimed < jobs; claimed += CLAIM) {
            long n = Long.parseLong(text(
                    wire,
                    "select n from postrider.claim('q', 'queue:q', " + worker + ", " + CLAIM + ", 1, 1, " + oldest
                            + ")"));
            oldest = oldest == 0 ? n : oldest;
        }
        return worker;
    }

    /** The first value of the first row; null if there is no row. */
    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return result.next() ? result.getString(1) : null;
        }
    }

    /** Runs an action and returns the log output. */
    private static String listen(Work work) throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(before);
            System.err.print(said.toString(StandardCharsets.UTF_8));
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    private interface Work {
        void run() throws Exception;
    }
}
