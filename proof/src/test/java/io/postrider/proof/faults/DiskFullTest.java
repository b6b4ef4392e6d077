package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.StartPoint;
import io.postrider.Worker;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database whose disk is full: producers learn of it, and nodes go on by themselves when there is room again. */
@Tag("slow")
@Tag("once")
class DiskFullTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String DISK_FULL = "53100";

    /** Too long to fit into the room that is left in existing pages. */
    private static final int PAYLOAD = 6_000;

    private final Random random = new Random(Seed.next("disk full"));
    private final Set<UUID> events = new HashSet<>();
    private final Set<UUID> jobs = new HashSet<>();
    private final Queue<UUID> delivered = new ConcurrentLinkedQueue<>();
    private final Queue<UUID> done = new ConcurrentLinkedQueue<>();

    @Test
    @NeedsProgram("postgres")
    void producers_get_an_error_only_committed_events_are_delivered_and_nodes_recover_by_themselves() throws Exception {
        try (Cluster cluster = Cluster.make().withDisk("64m").start()) {
            DataSource server = cluster.dataSource("postgres");
            Rows.execute(server, "create tablespace small location '" + cluster.disk() + "'");
            Rows.execute(server, "create database shop tablespace small");
            try (HikariDataSource pool = Node.pool(cluster.url("shop"), 8);
                    Postrider postrider = Postrider.on(pool).migrate()) {
                postrider
                        .add(Listener.relay("relay", "orders", event -> delivered.add(event.id()))
                                .withStart(StartPoint.beginning())
                                .withAttempts(2))
                        .add(Worker.on("mail").handling("t", job -> {
                            done.add(job.id());
                            return Fate.done();
                        }))
                        .start();
                for (int i = 0; i < 10; i++) {
                    assertThat(produce(postrider, pool)).isEmpty();
                }
                awaitAll("before");

                shell(server, "dd if=/dev/zero of=" + cluster.disk() + "/filler bs=8k 2>/dev/null; true");
                Await.until(
                        "producers are refused",
                        PATIENCE,
                        () -> produce(postrider, pool).equals(DISK_FULL));
                for (int i = 0; i < 20; i++) {
                    LockSupport.parkNanos(Duration.ofMillis(100).toNanos()); // the length of the fault
                    assertThat(produce(postrider, pool)).isIn(DISK_FULL, "");
                    assertThat(events).containsAll(delivered);
                    assertThat(jobs).containsAll(done);
                }

                shell(server, "rm " + cluster.disk() + "/filler");
                Await.until(
                        "producers are served",
                        PATIENCE,
                        () -> produce(postrider, pool).isEmpty());
                awaitAll("after");
                assertThat(done).doesNotHaveDuplicates();
                assertThat(Rows.number(cluster.dataSource("shop"), "select count(*) from postrider.dead_letter"))
                        .isZero();
                assertThat(postrider.verifier().verify(step -> {})).allMatch(result -> result.holds());
            }
        }
    }

    /** An event and a job in one transaction. Returns the SQLSTATE of the failure, or nothing if both are committed. */
    private String produce(Postrider postrider, DataSource dataSource) throws SQLException {
        StringBuilder text = new StringBuilder("\"");
        random.ints(PAYLOAD, 'a', 'z' + 1).forEach(text::appendCodePoint);
        Event event = Event.of("orders", "t", text.append('"').toString());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            UUID job;
            try {
                postrider.emitAll(connection, List.of(event));
                job = postrider.enqueue(connection, Job.of("mail", "t", "{}"));
            } catch (PostriderException e) {
                connection.rollback();
                return ((SQLException) e.getCause()).getSQLState();
            }
            connection.commit();
            events.add(event.id());
            jobs.add(job);
            return "";
        }
    }

    private void awaitAll(String when) {
        Await.until(
                "all committed events are delivered and all jobs are done, " + when,
                PATIENCE,
                () -> Set.copyOf(delivered).equals(events) && Set.copyOf(done).equals(jobs));
    }

    /** In the server's process, because nobody else sees its disk. */
    private static void shell(DataSource server, String command) throws SQLException {
        Rows.execute(server, "copy (select 1) to program 'cat >/dev/null; " + command + "'");
    }
}
