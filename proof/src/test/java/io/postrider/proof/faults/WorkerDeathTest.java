package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers that are killed and frozen under load: no job is lost, and no effect of a transactional one happens twice (G11). */
@Tag("slow")
@Tag("alone")
@Tag("once")
@PostgresTest
class WorkerDeathTest {
    private static final int KILLS = TestRun.count(20, 200);
    private static final int FREEZES = TestRun.count(10, 50);
    private static final int KILLED_AT_ONCE = 3;
    private static final int FROZEN_AT_ONCE = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DataSource dataSource;
    private final String url;
    private final Postrider postrider;
    private final ChildJvm.Launch worker;

    WorkerDeathTest(TestDatabase database) throws SQLException {
        this.dataSource = database.dataSource();
        this.url = database.jdbcUrl();
        this.postrider = Postrider.on(dataSource).migrate();
        Rows.execute(
                dataSource,
                "create table effect (job uuid, attempt int, node text); create table sent (job uuid, attempt int, node text);"
                        + " create table made (job uuid primary key, type text)");
        this.worker = ChildJvm.of(WorkerMain.class)
                .withHeap("64m")
                .withArguments(url, "first")
                .trained("ready");
    }

    @Test
    void kills_and_freezes_under_load_lose_nothing_and_repeat_no_effect() throws Exception {
        Random random = new Random(Seed.next("death of workers"));
        AtomicBoolean enough = new AtomicBoolean();
        Place spared = new Place("spared"); // or nobody would be there to take over, now and then
        List<Place> mortals = places("k", KILLED_AT_ONCE);
        List<Place> sleepers = places("f", FROZEN_AT_ONCE);
        List<Fault> kills = new ArrayList<>();
        List<Fault> freezes = new ArrayList<>();
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> produce(enough));
        try {
            Await.until(
                    "all are up",
                    PATIENCE,
                    () -> Stream.concat(mortals.stream(), sleepers.stream()).allMatch(Place::isReady));
            while (kills.size() < KILLS || freezes.size() < FREEZES) {
                int before = kills.size() + freezes.size();
                Await.until("a fault after " + before, PATIENCE, () -> {
                    if (kills.size() < KILLS) {
                        kill(mortals, random).ifPresent(kills::add);
                    }
                    freeze(sleepers, freezes);
                    return kills.size() + freezes.size() > before;
                });
                LockSupport.parkNanos(Seed.nanos(random, 0, 100)); // no wait for something: the moment is the fault
            }
            for (Place sleeper : sleepers) {
                sleeper.awaitOver();
            }
            enough.set(true);
            load.join();
            Await.until("all is done", PATIENCE, () -> left() == 0);
            for (Fault kill : kills.stream().filter(Fault::atWork).toList()) {
                Await.until(kill + " is taken over", PATIENCE, () -> !isAtWork(kill.node()));
            }
        } finally {
            enough.set(true);
            spared.close();
            mortals.forEach(Place::close);
            sleepers.forEach(Place::close);
        }
        report("kill -9 of workers", kills, 3_000);
        report("freeze of workers", freezes, 15_000);
        assertThat(Rows.texts(
                        dataSource,
                        "select m.job::text from made m where m.type = 'effect' and (select count(*) from effect e where"
                                + " e.job = m.job) <> 1"))
                .as("jobs whose effect did not happen once")
                .isEmpty();
        assertThat(Rows.texts(
                        dataSource,
                        "select m.job::text from made m where m.type = 'send' and not exists (select from sent s where"
                                + " s.job = m.job)"))
                .as("jobs that were not done")
                .isEmpty();
        assertThat(Rows.number(dataSource, "select count(*) from postrider.dead_letter"))
                .isZero();
        assertThat(Rows.number(
                        dataSource,
                        "select count(*) from effect e where not exists (select from made m where m.job = e.job)"))
                .isZero();
        System.out.printf(
                "%d jobs, %d done twice by the outside%n",
                Rows.number(dataSource, "select count(*) from made"),
                Rows.number(dataSource, "select count(*) - count(distinct job) from sent"));
    }

    private long left() throws SQLException {
        return Rows.number(dataSource, "select count(*) from postrider.jobs where state in ('PENDING', 'IN_PROGRESS')");
    }

    /** Some 150 jobs a second, in transactions of ten, some of which roll back. */
    private void produce(AtomicBoolean enough) {
        for (int n = 0; !enough.get(); n++) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 10; i++) {
                    String type = i % 2 == 0 ? "effect" : "send";
                    var id = postrider.enqueue(connection, Job.of("q", type, "{}"));
                    try (var statement = connection.createStatement()) {
                        statement.execute("insert into made values ('" + id + "', '" + type + "')");
                    }
                }
                if (n % 7 == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            LockSupport.parkNanos(60_000_000);
        }
    }

    private List<Place> places(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> new Place(prefix + i)).toList();
    }

    private boolean isAtWork(String node) throws SQLException {
        return Rows.number(
                        dataSource,
                        "select count(*) from postrider.worker w where w.node = '" + node + "' and w.ended_at is null")
                > 0;
    }

    private java.util.Optional<Fault> kill(List<Place> mortals, Random random) throws SQLException {
        Place victim = mortals.get(random.nextInt(mortals.size()));
        boolean anywhere = random.nextInt(4) == 0; // in its start, too
        boolean atWork = victim.isReady() && victim.isAtWork();
        if (!victim.isReady() || !anywhere && !atWork) {
            return java.util.Optional.empty();
        }
        Fault fault = new Fault(Instant.now(), victim.node(), atWork);
        victim.killAndStartAgain();
        return java.util.Optional.of(fault);
    }

    private void freeze(List<Place> sleepers, List<Fault> freezes) throws SQLException {
        for (Place sleeper : sleepers) {
            if (sleeper.frozen == null && freezes.size() < FREEZES && sleeper.isAtWork()) {
                sleeper.frozen = new Fault(Instant.now(), sleeper.node(), true);
                freezes.add(sleeper.frozen);
                sleeper.process.freeze();
                return;
            }
            if (sleeper.frozen != null && sleeper.isTakenOver()) {
                sleeper.process.resume();
                sleeper.frozen = null;
            }
        }
    }

    /** How long it took from each fault until the worker was taken over. Each that was at work has to be. */
    private void report(String what, List<Fault> faults, long most) throws SQLException {
        List<Long> millis = new ArrayList<>();
        for (Fault fault : faults.stream().filter(Fault::atWork).toList()) {
            String took = Rows.text(
                    dataSource,
                    "select (extract(epoch from min(w.ended_at) - '" + fault.at() + "'::timestamptz) * 1000)::int8"
                            + " from postrider.worker w where w.node = '" + fault.node() + "' and w.ended_at > '"
                            + fault.at() + "'");
            assertThat(took).as("the takeover of %s", fault).isNotNull();
            millis.add(Long.parseLong(took));
        }
        millis.sort(null);
        System.out.printf(
                "%s: %d of %d at work, taken over after p50 %d ms, p99 %d ms, max %d ms%n",
                what,
                millis.size(),
                faults.size(),
                millis.get(millis.size() / 2),
                millis.get(millis.size() * 99 / 100),
                millis.get(millis.size() - 1));
        assertThat(millis).as("faults that hit a worker at work").hasSizeGreaterThan(faults.size() * 6 / 10);
        assertThat(millis.get(millis.size() * 99 / 100)).as(what + ", p99").isLessThanOrEqualTo(most);
    }

    /** @param atWork whether the worker had registered; else there is nothing to take over */
    private record Fault(Instant at, String node, boolean atWork) {}

    /** Where a worker runs; each of its lives has another name. */
    private final class Place implements AutoCloseable {
        private final String name;
        private int life;
        private ChildJvm process;
        private Fault frozen;

        Place(String name) {
            this.name = name;
            this.process = start();
        }

        String node() {
            return name + "-" + life;
        }

        boolean isReady() {
            return process.lines().contains("ready");
        }

        boolean isAtWork() throws SQLException {
            return WorkerDeathTest.this.isAtWork(node());
        }

        boolean isTakenOver() throws SQLException {
            return !isAtWork();
        }

        void awaitOver() {
            Await.until(node() + " is awake", PATIENCE, () -> {
                if (frozen != null && isTakenOver()) {
                    process.resume();
                    frozen = null;
                }
                return frozen == null;
            });
        }

        void killAndStartAgain() {
            process.kill9();
            life++;
            process = start();
        }

        private ChildJvm start() {
            return worker.withArguments(url, node()).start();
        }

        @Override
        public void close() {
            if (frozen != null) {
                process.resume();
            }
            process.close();
        }
    }
}
