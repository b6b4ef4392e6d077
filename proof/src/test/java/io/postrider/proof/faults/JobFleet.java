package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.ClaimedJob;
import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.RetryPolicy;
import io.postrider.StartPoint;
import io.postrider.Worker;
import io.postrider.testkit.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Nodes that work on a queue and listen to a topic, and a producer for both. All of them stay up while their server is
 * replaced. Effects are rows without a unique constraint, so a second effect of a job or an event is detected.
 */
final class JobFleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String TOPIC = "orders";
    private static final String TABLES = """
            create table effect (job uuid, attempt int);
            create table heard (event uuid);
            create index on effect (job);
            create index on heard (event);
            """;

    private final List<HikariDataSource> pools = new ArrayList<>();
    private final List<Postrider> nodes = new ArrayList<>();
    private final List<EraReports> reports = new ArrayList<>();
    private final HikariDataSource producing;
    private final Thread producer;
    private long checked;
    private volatile boolean running = true;
    private volatile boolean resting;
    private volatile boolean rests;

    private JobFleet(HikariDataSource producing, Random random) {
        this.producing = producing;
        this.producer = new Thread(() -> produce(random), "producer");
        this.producer.setDaemon(true);
    }

    static JobFleet start(String url, int size, long seed) throws SQLException {
        JobFleet fleet = new JobFleet(Node.pool(url, 2), new Random(seed));
        Postrider.on(fleet.producing, options("producer")).migrate();
        Rows.execute(fleet.producing, TABLES);
        for (int i = 0; i < size; i++) {
            HikariDataSource pool = Node.pool(url, 8);
            fleet.pools.add(pool);
            EraReports reports = new EraReports("node-" + i);
            fleet.reports.add(reports);
            fleet.nodes.add(Postrider.on(pool, options("node-" + i).withWatch(reports))
                    .add(worker())
                    .add(listener())
                    .start());
        }
        fleet.producer.start();
        return fleet;
    }

    private static Options options(String node) {
        return Options.defaults().withNode(node).withSegmentSize(1_000_000);
    }

    /** Half of the jobs are transactional. Some fail at first, so that they are claimed one by one. */
    private static Worker worker() {
        return Worker.on("q")
                .withSlots(8)
                .handlingInTransaction("effect", JobFleet::effect)
                .withRetry("effect", RetryPolicy.exponential(50, Duration.ofMillis(5), Duration.ofMillis(200)))
                .handling("plain", job -> Fate.done())
                .handlingInTransaction("flaky", (connection, job) -> {
                    if (job.attempt() == 1) {
                        throw new IllegalStateException("fails once");
                    }
                    return effect(connection, job);
                })
                .withRetry("flaky", RetryPolicy.exponential(50, Duration.ofMillis(5), Duration.ofMillis(200)));
    }

    private static Fate effect(Connection connection, ClaimedJob job) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into effect (job, attempt) values (?, ?)")) {
            insert.setObject(1, job.id());
            insert.setInt(2, job.attempt());
            insert.executeUpdate();
        }
        return Fate.done();
    }

    private static Listener listener() {
        return Listener.transactional("heard", TOPIC, (connection, event) -> {
                    try (PreparedStatement insert = connection.prepareStatement("insert into heard values (?)")) {
                        insert.setObject(1, event.id());
                        insert.executeUpdate();
                    }
                })
                .withBackoff(Duration.ofMillis(20), Duration.ofMillis(200))
                .withAttempts(1_000)
                .withStart(StartPoint.beginning());
    }

    /** Bursts with pauses: settlements in a pause are not flushed by the next pass of the sequencer. */
    private void produce(Random random) {
        Postrider postrider = Postrider.on(producing);
        String[] types = {"effect", "plain", "effect", "flaky"};
        while (running) {
            rests = resting;
            if (!resting) {
                try (Connection connection = producing.getConnection()) {
                    connection.setAutoCommit(false);
                    for (int i = random.nextInt(20); i >= 0; i--) {
                        postrider.enqueue(connection, Job.of("q", types[random.nextInt(types.length)], "{}"));
                    }
                    postrider.emit(connection, Event.of(TOPIC, "placed", "{}"));
                    connection.commit();
                } catch (SQLException | PostriderException e) {
                    // the server is being replaced
                }
            }
            LockSupport.parkNanos(Seed.nanos(random, 1, 40));
        }
    }

    /** Stops producing, and waits until all jobs and events on the server are done and delivered. */
    void awaitAllDone(String when, DataSource server) throws SQLException {
        resting = true;
        Await.until("the producer rests", PATIENCE, () -> rests);
        awaitDoneAndDelivered(when, server, checked);
        assertOnce(when, server);
        checked = Rows.number(server, "select coalesce(max(position), 0) from postrider.log where topic = 'queue:q'");
        resting = false;
    }

    /** Checks at the end, including the jobs and events from before the last fault. */
    void awaitAllDoneAtLast(DataSource server) throws SQLException {
        checked = 0;
        awaitAllDone("at last", server);
    }

    /**
     * Waits until every node has seen an event after this position of the topic. Returns the last head that every node has seen.
     */
    long awaitSeenAfter(long position) {
        for (EraReports one : reports) {
            Await.until("all nodes see an event after " + position, PATIENCE, () -> one.head(TOPIC) > position);
        }
        return reports.stream().mapToLong(one -> one.head(TOPIC)).min().orElseThrow();
    }

    /** Every node reports the era, and the positions that it had seen and the server has lost. */
    void awaitReported(int era, long seen, DataSource server) throws SQLException {
        for (EraReports one : reports) {
            Await.until(
                    "the lost positions of era " + era + " are reported", PATIENCE, () -> one.hasReported(era, TOPIC));
            one.assertReported(era, TOPIC, seen, server);
        }
    }

    private void awaitDoneAndDelivered(String when, DataSource server, long after) throws SQLException {
        try {
            // Events first: each transaction emits one, so afterwards every job has a position and is in the view.
            Await.until("all events are delivered " + when, PATIENCE, () -> unheard(server) == 0);
            Await.until("all jobs are done " + when, PATIENCE, () -> undone(server, after) == 0);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + describe(server), e);
        }
    }

    private static void assertOnce(String when, DataSource server) throws SQLException {
        assertThat(Rows.texts(
                        server,
                        "select j.id::text from postrider.jobs j where j.job_type in ('effect', 'flaky')"
                                + " and (select count(*) from effect e where e.job = j.id) <> 1"))
                .as("jobs whose effect did not happen once " + when)
                .isEmpty();
        assertThat(Rows.texts(
                        server,
                        "select e.event_id::text from postrider.event e where e.topic = 'orders'"
                                + " and (select count(*) from heard h where h.event = e.event_id) <> 1"))
                .as("events whose effect did not happen once " + when)
                .isEmpty();
        assertThat(Postrider.on(server).verifier().verify(step -> {}))
                .as(when)
                .allSatisfy(
                        proof -> assertThat(proof.holds()).as(proof.toString()).isTrue());
    }

    /** The head of the topic on a server. */
    static long head(DataSource server) throws SQLException {
        return Rows.number(
                server, "select coalesce(max(position), 0) from postrider.log where topic = '" + TOPIC + "'");
    }

    static long done(DataSource server) throws SQLException {
        return Rows.number(
                server,
                "select coalesce(sum(upper(r) - lower(r)), 0) from postrider.settlement s, unnest(s.positions) r"
                        + " where s.fate = 'done'");
    }

    private static long undone(DataSource server, long after) throws SQLException {
        return Rows.number(
                server,
                "select count(*) from postrider.jobs where state <> 'DONE' and topic = 'queue:q' and position > "
                        + after);
    }

    private static long unheard(DataSource server) throws SQLException {
        return Rows.number(
                server,
                "select count(*) from postrider.event e where e.topic = 'orders'"
                        + " and not exists (select from heard h where h.event = e.event_id)");
    }

    private static String describe(DataSource server) throws SQLException {
        return Rows.texts(
                        server,
                        "select state || ' ' || coalesce(locked_by, '') || ' ' || coalesce(waits_for, '') || ' '"
                                + " || coalesce(last_error_message, '') || ' ' || count(*)::text || ' from '"
                                + " || min(position)::text from postrider.jobs where state <> 'DONE'"
                                + " group by state, locked_by, waits_for, last_error_message limit 10")
                .toString();
    }

    @Override
    public void close() {
        running = false;
        nodes.forEach(Postrider::close);
        pools.forEach(HikariDataSource::close);
        producing.close();
    }
}
