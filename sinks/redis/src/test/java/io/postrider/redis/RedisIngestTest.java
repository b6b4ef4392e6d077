package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.Worker;
import io.postrider.redis.RedisIngest.Entry;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Every entry that Redis has taken becomes exactly one job, whatever dies on the way. */
@Timeout(180)
@Tag("slow")
class RedisIngestTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static RealRedis redis;

    private final TestDatabase database = TestDatabase.createFrom(
            "redis-chat", dataSource -> Postrider.on(dataSource).migrate());
    private final HikariDataSource pool = Chat.pool(database);
    private final Postrider postrider = Postrider.on(pool);

    @BeforeAll
    static void startRedis() {
        redis = RealRedis.running();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.cli(cli -> cli.flushall());
    }

    @AfterEach
    void tidyUp() {
        postrider.close();
        pool.close();
        database.close();
    }

    @Test
    void what_is_added_is_done_as_a_job() throws Exception {
        BlockingQueue<String> done = new LinkedBlockingQueue<>();
        postrider
                .add(Worker.on("incoming").handling("message.received", job -> {
                    done.add(job.payload());
                    return Fate.done();
                }))
                .start();
        try (RedisIngest ingest = new RedisIngest(redis.options(), IngestOptions.of("incoming"))) {
            ingest.add("visit-17/1", "{\"text\": \"hello\"}"); // acknowledge to the visitor when this returns
            ingest.start(postrider, pool, entry -> Job.of("incoming", "message.received", entry.data()));
            assertThat(done.poll(30, TimeUnit.SECONDS)).isEqualTo("{\"text\": \"hello\"}");
            Await.until("the stream is empty", () -> ingest.waiting() == 0);
        }
        List<Object> consumers = redis.cli(cli -> cli.xinfoConsumers("incoming", "postrider"));
        assertThat(consumers).isEmpty();
    }

    @Test
    void a_producer_that_adds_again_with_the_same_id_gets_one_job() {
        try (RedisIngest ingest = ingest(pool)) {
            for (int i = 0; i < 5; i++) {
                ingest.add("a", "{\"n\": 1}");
                ingest.add("b", "{\"n\": 2}");
            }
            ingest.add("{\"n\": 3}");
            Await.until("the stream is empty", MOST, () -> ingest.waiting() == 0);
        }
        assertThat(jobs()).isEqualTo(Map.of(1, 1, 2, 1, 3, 1));
    }

    @Test
    void what_cannot_be_a_job_is_refused_at_once_or_put_aside_and_the_others_go_on() {
        try (RedisIngest ingest = ingest(pool)) {
            assertThatThrownBy(() -> ingest.add("{not json"))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("not valid JSON");
            assertThatThrownBy(() -> ingest.add("", "{}")).hasMessageContaining("id must have");
            ingest.add("{\"n\": 1}");
            redis.cli(cli -> cli.xadd("incoming", Map.of("data", "{not json", "who", "a stranger")));
            redis.cli(cli -> cli.xadd("incoming", Map.of("nothing", "at all")));
            assertThatThrownBy(() -> ingest.add("{\"n\": 1e999999}")).hasMessageContaining("exponent");
            redis.cli(
                    cli -> cli.xadd("incoming", Map.of("data", "{\"n\": 1e999999}"))); // more than PostgreSQL can store
            ingest.add("{\"n\": 2}");
            Await.until("the stream is empty", MOST, () -> ingest.waiting() == 0);
        }
        assertThat(jobs()).isEqualTo(Map.of(1, 1, 2, 1));
        List<StreamMessage<String, String>> aside = redis.cli(cli -> cli.xrange("incoming:refused", Range.unbounded()));
        assertThat(aside)
                .hasSize(3)
                .allSatisfy(entry -> assertThat(entry.getBody()).containsKeys("refused-number", "refused-error"))
                .anySatisfy(entry -> assertThat(entry.getBody()).containsEntry("who", "a stranger"));
    }

    @Test
    void an_error_in_the_application_s_own_code_ends_nothing() {
        AtomicBoolean failed = new AtomicBoolean();
        try (RedisIngest ingest = new RedisIngest(redis.options(), options())) {
            ingest.start(postrider, pool, entry -> {
                if (failed.compareAndSet(false, true)) {
                    throw new StackOverflowError("once");
                }
                return job(entry);
            });
            ingest.add("{\"n\": 1}");
            Await.until("it has failed", MOST, failed::get);
            ingest.add("{\"n\": 2}");
            Await.until("the stream is empty", MOST, () -> ingest.waiting() == 0);
        }
        assertThat(jobs()).isEqualTo(Map.of(1, 1, 2, 1));
    }

    @Test
    void an_acknowledgement_that_is_lost_repeats_nothing() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                RedisIngest producer = new RedisIngest(redis.options(), options())) {
            proxy.cutAt(TcpProxy.Direction.TO_SERVER, "XACK", TcpProxy.Cut.BEFORE);
            IntStream.rangeClosed(1, 300).forEach(n -> producer.add("{\"n\": " + n + "}"));
            try (RedisIngest ingest = new RedisIngest(RedisOptions.at("127.0.0.1", proxy.port()), options())) {
                ingest.start(postrider, pool, RedisIngestTest::job);
                Await.until("the stream is empty", MOST, () -> producer.waiting() == 0);
            }
            assertThat(proxy.cuts()).isEqualTo(1);
        }
        assertEachOnce(300);
    }

    @Test
    void a_database_that_fails_now_and_then_loses_and_repeats_nothing() {
        AtomicInteger calls = new AtomicInteger();
        DataSource shaky = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (calls.incrementAndGet() % 3 != 0) {
                        throw new SQLException("not now", "08006");
                    }
                    try {
                        return method.invoke(pool, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (RedisIngest ingest = ingest(shaky)) {
            IntStream.rangeClosed(1, 500).forEach(n -> ingest.add("{\"n\": " + n + "}"));
            Await.until("the stream is empty", MOST, () -> ingest.waiting() == 0);
        }
        assertEachOnce(500);
    }

    @Test
    void two_who_move_the_same_entry_make_one_job_of_it() throws SQLException {
        Mover mover = new Mover(postrider, pool, options(), RedisIngestTest::job);
        List<Entry> entries = List.of(entry("1700000000000-0", 1), entry("1700000000000-1", 2));

        assertThat(mover.move(entries, false)).isEmpty();
        assertThat(mover.move(entries, false)).isEmpty();

        assertThat(jobs()).isEqualTo(Map.of(1, 1, 2, 1));
    }

    @Test
    void an_entry_that_comes_again_after_its_key_is_forgotten_is_known_by_its_job() throws SQLException {
        Mover mover = new Mover(postrider, pool, options(), RedisIngestTest::job);
        List<Entry> entries = List.of(entry("1700000000000-0", 1), entry("1700000000000-1", 2));
        mover.move(entries, false);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("delete from postrider.unique_job"))
                    .isEqualTo(2);
        }

        assertThat(mover.move(entries, true)).isEmpty();

        assertThat(jobs()).isEqualTo(Map.of(1, 1, 2, 1));
    }

    @Test
    void what_a_consumer_has_died_with_is_taken_over() {
        try (RedisIngest producer = new RedisIngest(redis.options(), options())) {
            IntStream.rangeClosed(1, 50).forEach(n -> producer.add("{\"n\": " + n + "}"));
            redis.cli(
                    cli -> cli.xgroupCreate(io.lettuce.core.XReadArgs.StreamOffset.from("incoming", "0"), "postrider"));
            redis.cli(cli -> cli.xreadgroup(
                    io.lettuce.core.Consumer.from("postrider", "dead"),
                    io.lettuce.core.XReadArgs.Builder.count(30),
                    io.lettuce.core.XReadArgs.StreamOffset.lastConsumed("incoming")));
            producer.start(postrider, pool, RedisIngestTest::job);
            Await.until("the stream is empty", MOST, () -> producer.waiting() == 0);
        }
        assertEachOnce(50);
    }

    @Test
    void a_redis_that_has_forgotten_everything_is_used_again() {
        try (RedisIngest ingest = ingest(pool)) {
            ingest.add("{\"n\": 1}");
            Await.until("the stream is empty", MOST, () -> ingest.waiting() == 0);
            redis.cli(cli -> cli.flushall());
            ingest.add("{\"n\": 2}");
            Await.until("it is a job", MOST, () -> jobs().size() == 2);
        }
    }

    @Test
    void processes_and_redis_killed_under_load_and_every_entry_is_one_job() throws Exception {
        try (RealRedis own = RealRedis.running();
                RedisIngest producer = new RedisIngest(own.options(), options())) {
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Integer> added = CompletableFuture.supplyAsync(() -> addUntil(enough, producer));
            ChildJvm child = child(own);
            for (int round = 0; round < 3; round++) {
                int target = jobs().size() + 200;
                Await.until("more jobs", MOST, () -> jobs().size() >= target);
                freezeAtWork(child, own);
                child.kill9();
                if (round == 1) {
                    own.kill9();
                    own.start();
                }
                child = child(own);
            }
            enough.set(true);
            int entries = added.get(60, TimeUnit.SECONDS);
            Await.until("the stream is empty", MOST, () -> producer.waiting() == 0);
            child.close();
            assertEachOnce(entries);
        }
    }

    /** Adds entries, at most 500 ahead of the worker, and returns how many. */
    private static int addUntil(AtomicBoolean enough, RedisIngest producer) {
        int n = 0;
        while (!enough.get()) {
            Await.until("room", MOST, () -> enough.get() || producer.waiting() < 500);
            addUntilTaken(producer, ++n);
        }
        return n;
    }

    /** Freezes the worker at a moment when it has read entries and not acknowledged them. */
    private static void freezeAtWork(ChildJvm child, RealRedis own) {
        Await.until("the worker is frozen with entries in flight", MOST, () -> {
            child.freeze();
            long inFlight =
                    own.cli(cli -> cli.xpending("incoming", "postrider")).getCount();
            if (inFlight == 0) {
                child.resume();
            }
            return inFlight > 0;
        });
    }

    private ChildJvm child(RealRedis own) {
        ChildJvm child = ChildJvm.of(IngestMain.class)
                .withArguments(database.jdbcUrl(), "" + own.port())
                .start();
        child.awaitLine("ready", Duration.ofSeconds(60));
        return child;
    }

    /** A worker process. */
    static final class IngestMain {
        public static void main(String[] arguments) throws InterruptedException {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(arguments[0]);
            new RedisIngest(RedisOptions.at("127.0.0.1", Integer.parseInt(arguments[1])), options())
                    .start(Postrider.on(dataSource), dataSource, RedisIngestTest::job);
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }

    /** As an API process does: what is not known to be taken is added again, with the same id. */
    private static void addUntilTaken(RedisIngest producer, int n) {
        Await.until("redis has entry " + n, MOST, () -> {
            producer.add("id-" + n, "{\"n\": " + n + "}");
            return true;
        });
    }

    private static IngestOptions options() {
        return IngestOptions.of("incoming").withBatch(50).withClaimAfter(Duration.ofSeconds(1));
    }

    private RedisIngest ingest(DataSource dataSource) {
        return new RedisIngest(redis.options(), options()).start(postrider, dataSource, RedisIngestTest::job);
    }

    private static Job job(Entry entry) {
        return Job.of("incoming", "message.received", entry.data());
    }

    private static Entry entry(String number, int n) {
        return new Entry(number, number, "{\"n\": " + n + "}", Map.of());
    }

    private void assertEachOnce(int count) {
        Map<Integer, Integer> expected = new TreeMap<>();
        IntStream.rangeClosed(1, count).forEach(n -> expected.put(n, 1));
        assertThat(jobs()).isEqualTo(expected);
    }

    /** How many jobs there are of each number. */
    private Map<Integer, Integer> jobs() {
        Map<Integer, Integer> counts = new TreeMap<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select (payload->>'n')::int, count(*) from postrider.event where topic = 'queue:incoming' group by 1")) {
            while (rows.next()) {
                counts.put(rows.getInt(1), rows.getInt(2));
            }
            return counts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
