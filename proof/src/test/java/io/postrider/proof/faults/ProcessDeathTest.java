package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that are killed and frozen under load (G1, G2, G3, G4, G5, G8, G11). */
@Tag("slow")
@Tag("once")
@PostgresTest
class ProcessDeathTest {
    private static final String TOPIC = "orders";
    private static final int KILLS = TestRun.count(8, 50);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DataSource dataSource;
    private final String url;
    private final Audit audit;
    private ChildJvm.Launch node =
            ChildJvm.of(NodeMain.class).withProperty("org.slf4j.simpleLogger.log.io.postrider", "info");

    ProcessDeathTest(TestDatabase database) throws Exception {
        this.dataSource = database.dataSource();
        this.url = database.jdbcUrl();
        this.audit = new Audit(dataSource, TOPIC);
        Postrider.on(dataSource).migrate();
        Traces.create(dataSource);
    }

    @Test
    void kills_under_load_lose_nothing_and_repeat_no_effect() throws Exception {
        node = node.withArguments(url, TOPIC, "first", "0").trained("ready");
        long seed = Seed.next("kill -9 of nodes");
        Random random = new Random(seed);
        List<Kill> kills = new ArrayList<>();
        List<Load.Transaction> transactions;
        Place[] places = {new Place("a", 0), new Place("b", 0)};
        try (Load load = new Load(dataSource, TOPIC, seed, 8, Duration.ofMillis(60)).start()) {
            while (kills.size() < KILLS) {
                Await.until(
                        "both nodes are up", PATIENCE, () -> Stream.of(places).allMatch(Place::isReady));
                LockSupport.parkNanos(Seed.nanos(random, 0, 300)); // no wait for something: the moment is the fault
                Place victim = places[random.nextInt(2)];
                Kill kill = kill(victim);
                kills.add(kill);
                if (random.nextInt(4) == 0) {
                    LockSupport.parkNanos(Seed.nanos(random, 0, 800)); // again, somewhere in its start
                    kills.add(kill(victim));
                }
                Await.until(
                        "somebody went on after " + kill,
                        PATIENCE,
                        () -> takeovers(kill).size() == kill.owned().size());
            }
            transactions = load.stop();
            Await.until("all is handled", PATIENCE, audit::isDrained);
        } finally {
            Stream.of(places).forEach(Place::close);
        }
        List<Long> takeovers = new ArrayList<>();
        for (Kill kill : kills) {
            takeovers.addAll(takeovers(kill));
        }
        takeovers.sort(null);
        System.out.printf(
                "kill -9 of nodes: %d kills, %d takeovers of a listener, p50 %d ms, max %d ms; %s; %d events, %d sent twice%n",
                kills.size(),
                takeovers.size(),
                takeovers.get(takeovers.size() / 2),
                takeovers.get(takeovers.size() - 1),
                Audit.summary(transactions),
                head(),
                Rows.number(dataSource, "select count(*) from sent") - head());
        assertThat(audit.violations(transactions)).isEmpty();
        assertThat(takeovers).hasSizeGreaterThan(KILLS / 4);
        assertThat(takeovers.get((takeovers.size() - 1) * 99 / 100))
                .as("p99 of %s", takeovers)
                .isLessThanOrEqualTo(5_000);
    }

    @Test
    void a_frozen_leader_is_replaced_and_does_no_harm_when_it_wakes() throws Exception {
        long seed = Seed.next("freeze of the leader");
        List<Load.Transaction> transactions;
        try (Place leader = new Place("leader", 20);
                Load load = new Load(dataSource, TOPIC, seed, 4, Duration.ofMillis(100)).start()) {
            Await.until(
                    "one node has it all",
                    PATIENCE,
                    () -> isLed() && owned(leader.node()).size() == 2);
            try (Place other = new Place("other", 0)) {
                Await.until("the other is up", PATIENCE, other::isReady);
                Kill freeze = new Kill(Instant.now(), leader.node(), owned(leader.node()));
                leader.process.freeze();
                long millis = awaitTakeover(freeze);
                long head = head();
                Await.until("the other went on", PATIENCE, () -> cursor("effect") > head + 50);
                leader.process.resume();
                Await.until("the zombie has seen that it lost its line", PATIENCE, () -> leader.said("wire_lost"));
                Await.until("it is a node again", PATIENCE, () -> leader.said("wire_connected", 2));
                transactions = load.stop();
                Await.until("all is handled", PATIENCE, audit::isDrained);
                System.out.printf(
                        "freeze of the leader: replaced after %d ms; %s%n", millis, Audit.summary(transactions));
                assertThat(millis).isLessThanOrEqualTo(15_000);
            }
        }
        assertThat(audit.violations(transactions)).isEmpty();
    }

    @Test
    void a_frozen_node_that_only_owns_listeners_is_replaced_by_the_leader() throws Exception {
        long seed = Seed.next("freeze of a follower");
        List<Load.Transaction> transactions;
        try (HikariDataSource outside = Node.pool(url, 1);
                Node leader = Node.start(url, "leader", options -> options, List.of());
                Load load = new Load(dataSource, TOPIC, seed, 4, Duration.ofMillis(100)).start()) {
            Await.until("it leads", PATIENCE, this::isLed);
            try (Place follower = new Place("follower", 20)) {
                Await.until(
                        "the follower owns",
                        PATIENCE,
                        () -> owned(follower.node()).size() == 2);
                leader.postrider().add(Traces.effect(TOPIC, "leader", (connection, event) -> {}));
                leader.postrider().add(Traces.sent(TOPIC, "leader", outside));
                Kill freeze = new Kill(Instant.now(), follower.node(), owned(follower.node()));
                follower.process.freeze();
                long millis = awaitTakeover(freeze);
                follower.process.resume();
                Await.until("the zombie has seen that it lost its line", PATIENCE, () -> follower.said("wire_lost"));
                transactions = load.stop();
                Await.until("all is handled", PATIENCE, audit::isDrained);
                System.out.printf(
                        "freeze of a follower: replaced after %d ms; %s%n", millis, Audit.summary(transactions));
                assertThat(millis).isLessThanOrEqualTo(15_000);
            }
        }
        assertThat(audit.violations(transactions)).isEmpty();
    }

    private long awaitTakeover(Kill kill) throws Exception {
        Await.until(
                "somebody went on after " + kill,
                PATIENCE,
                () -> takeovers(kill).size() == kill.owned().size());
        return takeovers(kill).stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    private List<String> owned(String node) throws Exception {
        return Rows.texts(dataSource, "select name from postrider.listeners where owner = '" + node + "'");
    }

    private Kill kill(Place victim) throws Exception {
        Kill kill = new Kill(Instant.now(), victim.node(), owned(victim.node()));
        victim.killAndStartAgain();
        return kill;
    }

    /** From the kill of a listener's owner until somebody else's first delivery, in milliseconds. */
    private List<Long> takeovers(Kill kill) throws Exception {
        List<Long> millis = new ArrayList<>();
        for (String listener : kill.owned()) {
            Rows.texts(dataSource, """
                            select (extract(epoch from at - timestamptz '%s') * 1000)::bigint from postrider.delivery
                            where listener = '%s' and worker <> '%s' and at > '%1$s' order by n limit 1
                            """.formatted(kill.at(), listener, kill.node()))
                    .forEach(text -> millis.add(Long.parseLong(text)));
        }
        return millis;
    }

    private boolean isLed() throws Exception {
        return !Rows.texts(dataSource, """
                select 1 from pg_locks
                where locktype = 'advisory' and classid = 'postrider.event'::regclass::oid and objid = 3 and granted
                """).isEmpty();
    }

    private long cursor(String listener) throws Exception {
        return Rows.number(dataSource, "select position from postrider.listeners where name = '" + listener + "'");
    }

    private long head() throws Exception {
        return Rows.number(dataSource, "select coalesce(max(position), 0) from postrider.head where topic = 'orders'");
    }

    /** @param owned the listeners that the node held when it was killed */
    private record Kill(Instant at, String node, List<String> owned) {}

    /** Where a node runs; each of its lives has another name. */
    private final class Place implements AutoCloseable {
        private final String name;
        private final int millisInHandler;
        private int life;
        private ChildJvm process;

        Place(String name, int millisInHandler) {
            this.name = name;
            this.millisInHandler = millisInHandler;
            this.process = start();
        }

        String node() {
            return name + "-" + life;
        }

        boolean isReady() {
            return process.lines().contains("ready");
        }

        boolean said(String word) {
            return said(word, 1);
        }

        boolean said(String word, int times) {
            return process.errors().stream().filter(line -> line.contains(word)).count() >= times;
        }

        void killAndStartAgain() {
            process.kill9();
            life++;
            process = start();
        }

        private ChildJvm start() {
            return node.withArguments(url, TOPIC, node(), Integer.toString(millisInHandler))
                    .start();
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
