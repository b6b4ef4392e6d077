package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Step;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A table is adopted while 16 writers commit, roll back and hold transactions open, the old consumer works, and the process that
 * adopts is killed at random moments. Every committed row reaches each listener or worker exactly once, in order per key.
 */
@Tag("slow")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class AdoptLoadTest {
    private static final int WRITERS = 16;
    private static final int KEYS = 24;
    private static final int OLD_ROWS = 2_500;

    @ParameterizedTest
    @EnumSource(AdoptTables.class)
    void every_committed_row_arrives_once_and_in_order(AdoptTables shape) throws Exception {
        long seed = TestRun.seed("AdoptLoadTest " + shape);
        for (int run = 0; run < TestRun.count(1, 20); run++) {
            try (TestDatabase database = TestDatabase.createFrom(
                    "migrated-adopt", dataSource -> Postrider.on(dataSource).migrate())) {
                run(shape, database, new Random(seed + run));
            }
        }
    }

    private static void run(AdoptTables shape, TestDatabase database, Random random) throws Exception {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(shape.create).execute("create table seen (reader text, at bigserial, key text, n int)");
            OldSystem old = new OldSystem(shape, database, random.nextLong());
            old.writeOldRows(psql);
            read(shape, node);
            List<CompletableFuture<Void>> load = old.start();
            adopt(shape, database, random);
            old.writeSomeMore();
            old.stop();
            CompletableFuture.allOf(load.toArray(new CompletableFuture<?>[0])).get(120, TimeUnit.SECONDS);
            node.postrider.jobs().sequence();
            if (shape != AdoptTables.JOBS) {
                long head = psql.number("select coalesce(max(position), 0) from postrider.head where topic = 't'");
                node.add(reader("late"));
                node.awaitCursor("early", head);
                node.awaitCursor("late", head);
                check(psql, old, "early");
                check(psql, old, "late");
            } else {
                checkJobs(node, psql);
            }
            undo(shape, node, psql, old);
        }
    }

    /** The process is killed at random moments, twice or three times, and then left alone. */
    private static void adopt(AdoptTables shape, TestDatabase database, Random random) throws InterruptedException {
        ChildJvm.Launch launch = ChildJvm.of(AdoptChild.class).withArguments(database.jdbcUrl(), shape.name());
        for (int kill = 0; kill < 2 + random.nextInt(2); kill++) {
            try (ChildJvm child = launch.start()) {
                child.awaitLine(random.nextBoolean() ? "started" : "bridged", Duration.ofMinutes(3));
                JobDesk.takeMillis(random.nextInt(600));
                child.kill9();
            }
        }
        try (ChildJvm child = launch.start()) {
            child.awaitLine("imported", Duration.ofMinutes(5));
            assertThat(child.awaitExit(Duration.ofMinutes(1))).isZero();
        }
    }

    private static Listener reader(String name) {
        return Listener.transactional(name, "t", (connection, event) -> see(connection, name, event.payload()))
                .withBatch(500);
    }

    private static void read(AdoptTables shape, Node node) {
        if (shape == AdoptTables.JOBS) {
            node.postrider
                    .add(Worker.on("q").handlingInTransaction("enrichment_outbox", (connection, job) -> {
                        see(connection, "worker", job.payload());
                        return Fate.done();
                    }))
                    .start();
        } else {
            node.with(reader("early"));
        }
    }

    private static void see(Connection connection, String reader, String payload) throws SQLException {
        try (var insert = connection.prepareStatement(
                "insert into public.seen (reader, key, n)"
                        + " select ?, p ->> 'key', coalesce((p ->> 'n')::int, (p ->> 'item_id')::int) from (select ?::jsonb as p) p")) {
            insert.setString(1, reader);
            insert.setString(2, payload);
            insert.executeUpdate();
        }
    }

    /** Each key has exactly its committed numbers, in order, except those that the old consumer had deleted before the import. */
    private static void check(Psql psql, OldSystem old, String reader) {
        Map<String, List<Integer>> seen = new TreeMap<>();
        for (String row : psql.texts("select key || ' ' || n from seen where reader = '" + reader + "' order by at")) {
            String[] words = row.split(" ", -1);
            seen.computeIfAbsent(words[0], key -> new ArrayList<>()).add(Integer.parseInt(words[1]));
        }
        Map<String, List<Integer>> expected = new TreeMap<>();
        old.committed().forEach((key, numbers) -> {
            List<Integer> left = new ArrayList<>(numbers);
            List<Integer> there = seen.getOrDefault(key, List.of());
            left.removeIf(n -> !there.contains(n) && old.isDeleted(key, n));
            if (!left.isEmpty()) {
                expected.put(key, left);
            }
        });
        assertThat(seen).as(reader).isEqualTo(expected);
    }

    /** Each row is run once here, or the old worker had finished it before Postrider would have. */
    private static void checkJobs(Node node, Psql psql) {
        Await.until(
                "all jobs are done",
                Duration.ofMinutes(2),
                () -> psql.number("select count(*) from postrider.adopted a where a.how <> 'skip' and not exists"
                                + " (select from postrider.jobs j where j.id = a.event_id and j.state = 'DONE')")
                        == 0);
        assertThat(psql.texts("select n || ' ' || count(*) from seen group by n having count(*) > 1"))
                .isEmpty();
        assertThat(psql.texts("select item_id from enrichment_outbox o where status <> 'DONE'"
                        + " and not exists (select from seen s where s.n = o.item_id)"))
                .as("rows that nobody has done")
                .isEmpty();
        assertThat(psql.texts(
                        "select a.adopted_id from postrider.adopted a join enrichment_outbox o on o.id::text = a.adopted_id"
                                + " where a.how <> 'skip' and not exists (select from seen s where s.n = o.item_id)"))
                .isEmpty();
        assertThat(psql.number("select count(*) from enrichment_outbox o where not exists"
                        + " (select from postrider.adopted a where a.adopted_id = o.id::text) and o.status <> 'DONE'"))
                .isZero();
        assertThat(node.postrider.adoptions().status("enrichment_outbox").notAdopted())
                .isZero();
    }

    /** After the undo the old table has every committed row, and a new one is the old system's alone. */
    private static void undo(AdoptTables shape, Node node, Psql psql, OldSystem old) {
        Adoptions adoptions = node.postrider.adoptions();
        adoptions.undo(Step.BRIDGE, shape.table);
        assertThat(psql.number("select count(*) from " + shape.table)).isEqualTo(old.rowsExpected());
        long ledger = psql.number("select count(*) from postrider.adopted");
        psql.execute(shape.insert("after", 1_000_000));
        assertThat(psql.number("select count(*) from postrider.adopted")).isEqualTo(ledger);
    }

    /** The writers and the consumer that were there before Postrider. */
    private static final class OldSystem {
        private final AdoptTables shape;
        private final TestDatabase database;
        private final Random seeds;
        private final Map<String, List<Integer>> committed = new HashMap<>();
        private final Map<String, List<Integer>> deleted = new HashMap<>();
        private final Object[] keyLocks = new Object[KEYS];
        private int items;
        private int rows;
        private volatile boolean stopped;
        private volatile CountDownLatch more = new CountDownLatch(0);

        OldSystem(AdoptTables shape, TestDatabase database, long seed) {
            this.shape = shape;
            this.database = database;
            this.seeds = new Random(seed);
            for (int i = 0; i < KEYS; i++) {
                keyLocks[i] = new Object();
            }
        }

        synchronized Map<String, List<Integer>> committed() {
            return committed;
        }

        synchronized boolean isDeleted(String key, int number) {
            return deleted.getOrDefault(key, List.of()).contains(number);
        }

        synchronized long rowsExpected() {
            return rows - deleted.values().stream().mapToInt(List::size).sum();
        }

        private synchronized int next(String key, int offset) {
            return shape == AdoptTables.JOBS
                    ? ++items
                    : committed.getOrDefault(key, List.of()).size() + offset;
        }

        private synchronized void commit(String key, List<Integer> numbers) {
            committed.computeIfAbsent(key, k -> new ArrayList<>()).addAll(numbers);
            rows += numbers.size();
            more.countDown();
        }

        void writeOldRows(Psql psql) {
            psql.begin();
            for (int i = 0; i < OLD_ROWS; i++) {
                String key = "k" + i % KEYS;
                int number = next(key, 1);
                psql.execute(shape.insert(key, number));
                commit(key, List.of(number));
            }
            psql.commit();
        }

        List<CompletableFuture<Void>> start() {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                Random random = new Random(seeds.nextLong());
                threads.add(Background.run(() -> write(random)));
            }
            threads.add(Background.run(this::consume));
            return threads;
        }

        void writeSomeMore() {
            more = new CountDownLatch(100);
            Await.until("writers go on", () -> more.getCount() == 0);
        }

        void stop() {
            stopped = true;
        }

        private void write(Random random) {
            try (Psql psql = new Psql(database)) {
                while (!stopped) {
                    int k = random.nextInt(KEYS);
                    synchronized (keyLocks[k]) {
                        transaction(psql, "k" + k, random);
                    }
                    JobDesk.takeMillis(random.nextInt(20));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** One to three rows; some roll back, some hold the transaction open. */
        private void transaction(Psql psql, String key, Random random) throws InterruptedException {
            List<Integer> numbers = new ArrayList<>();
            psql.begin();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                int number = next(key, numbers.size() + 1);
                psql.execute(shape.insert(key, number));
                numbers.add(number);
            }
            if (random.nextInt(10) == 0) {
                JobDesk.takeMillis(random.nextInt(250));
            }
            if (random.nextInt(5) == 0) {
                psql.rollback();
            } else {
                psql.commit();
                commit(key, numbers);
            }
        }

        private void consume() {
            try (Psql psql = new Psql(database)) {
                while (!stopped) {
                    for (String row : psql.texts(step())) {
                        String[] words = row.split(" ", -1);
                        synchronized (this) {
                            deleted.computeIfAbsent(words[0], key -> new ArrayList<>())
                                    .add(Integer.parseInt(words[1]));
                        }
                    }
                    JobDesk.takeMillis(5);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** A few rows, as the old consumer takes them. */
        private String step() {
            return switch (shape) {
                case FLAG ->
                    "with few as (select id from outbox where processed_at is null order by id limit 5 for update skip locked)"
                            + ", done as (update outbox o set processed_at = now() from few s where o.id = s.id)"
                            + " select '' where false";
                case STATUS ->
                    "with few as (select id from event_outbox where status = 'pending' order by created_at limit 5"
                            + " for update skip locked), done as (update event_outbox o set status = 'published',"
                            + " published_at = now(), retry_count = 1 from few s where o.id = s.id) select '' where false";
                case DELETE ->
                    "with few as (select id from outbox_events limit 5 for update skip locked)"
                            + " delete from outbox_events o using few s where o.id = s.id"
                            + " returning (o.payload::jsonb ->> 'key') || ' ' || (o.payload::jsonb ->> 'n')";
                case JOBS ->
                    "with few as (select id from enrichment_outbox where status = 'PENDING' order by id limit 2"
                            + " for update skip locked), done as (update enrichment_outbox o set status = 'DONE',"
                            + " attempt_count = 1 from few s where o.id = s.id) select '' where false";
            };
        }
    }
}
