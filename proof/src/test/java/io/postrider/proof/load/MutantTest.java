package io.postrider.proof.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.proof.check.HistoryChecker;
import io.postrider.proof.check.Violation;
import io.postrider.proof.check.Violation.Kind;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checker catches every mutant of the sequencer by construction: each mutant runs in an interleaving of sessions
 * that exposes it. The same interleavings without the mutation are correct. Under a random load, the mutant that orders by
 * transaction number was once not detected.
 */
@Tag("slow")
class MutantTest {
    /** No vacuum: it takes transaction numbers, and some of these schedules depend on which session has the greatest one. */
    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() {
        server = EmbeddedPostgres.start(
                TestServer.options().withSetting("autovacuum", "off").withSetting("fsync", "off"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Mutant.class)
    void a_mutant_is_caught(Mutant mutant) throws Exception {
        assertThat(ride(mutant, true)).extracting(Violation::kind).contains(expected(mutant));
    }

    @ParameterizedTest
    @EnumSource(Mutant.class)
    void the_same_schedule_without_the_mistake_is_sound(Mutant mutant) throws Exception {
        assertThat(ride(mutant, false)).isEmpty();
    }

    private static Kind expected(Mutant mutant) {
        return switch (mutant) {
            case STALE_SNAPSHOT, XMIN_FILTER, OWN_HIGH, NO_LATE -> Kind.LOST;
            case CACHE_50, ORDER_BY_TX -> Kind.CAUSAL;
            case ORDER_BY_ID -> Kind.TORN;
        };
    }

    private static List<Violation> ride(Mutant mutant, boolean withMistake) throws Exception {
        try (TestDatabase database = TestDatabase.create(server)) {
            DataSource dataSource = database.dataSource();
            Postrider.on(dataSource, Options.defaults().withNode("mutant")).migrate();
            if (withMistake) {
                try (var connection = dataSource.getConnection()) {
                    mutant.make(connection);
                }
            }
            Mix topics = new Mix(0, 0, 1, List.of(ScriptedSession.TOPIC), false, 0);
            try (LoadRun load = new LoadRun(dataSource, topics);
                    ScriptedSession first = new ScriptedSession(dataSource, load.history());
                    ScriptedSession second = new ScriptedSession(dataSource, load.history());
                    ScriptedSession sequencer = new ScriptedSession(dataSource, load.history())) {
                sequencer.pass();
                first.emit().commit();
                sequencer.pass();
                play(mutant, dataSource, load, first, second, sequencer);
                for (int i = 0; i < 4; i++) {
                    sequencer.pass();
                }
                return HistoryChecker.check(load.tell(List.of()));
            }
        }
    }

    private static void play(
            Mutant mutant,
            DataSource dataSource,
            LoadRun load,
            ScriptedSession first,
            ScriptedSession second,
            ScriptedSession sequencer)
            throws Exception {
        switch (mutant) {
            case ORDER_BY_TX -> {
                // The second sees the first's commit when it emits, and has the smaller number.
                second.number();
                first.emit().commit();
                second.emit().commit();
            }
            case ORDER_BY_ID -> {
                // The first draws the ids on both sides of the second's.
                first.emit();
                second.emit().commit();
                first.emit().commit();
            }
            case CACHE_50 -> {
                // The first has the numbers up to 50 left; the second begins at 51, and the first sees it commit.
                second.emit().commit();
                first.emit().commit();
            }
            case NO_LATE -> {
                // The first is in the pass's list of running transactions, since the second has a greater number.
                first.emit();
                second.emit().commit();
                sequencer.pass();
                first.commit();
            }
            case OWN_HIGH -> {
                // The second is running and beyond the pass's xmax, and the pass's bound of ids is above its id.
                first.emit().commit();
                second.emit();
                sequencer.pass();
                second.commit();
            }
            case XMIN_FILTER -> {
                // The second has the smaller number and the greater id: its position hides the first's id.
                second.number();
                first.emit();
                second.emit().commit();
                sequencer.pass();
                first.commit();
            }
            case STALE_SNAPSHOT -> overtakenPasses(dataSource, load, first, second, sequencer);
        }
    }

    /**
     * Two passes take their snapshots, then a transaction takes its number and id, and only then the passes run: the second
     * pass's bound of ids, read by the first one, is above the id of a transaction beyond the second one's snapshot.
     */
    private static void overtakenPasses(
            DataSource dataSource,
            LoadRun load,
            ScriptedSession first,
            ScriptedSession second,
            ScriptedSession sequencer)
            throws Exception {
        try (ScriptedSession gates = new ScriptedSession(dataSource, load.history());
                ScriptedSession other = new ScriptedSession(dataSource, load.history())) {
            gates.execute("select pg_advisory_lock(71), pg_advisory_lock(72)");
            first.emit().commit();
            CompletableFuture<Void> earlier = sequencer.passThrough(71);
            awaitAtGate(gates, 71, earlier);
            first.emit().commit();
            CompletableFuture<Void> later = other.passThrough(72);
            awaitAtGate(gates, 72, later);
            second.emit();
            gates.execute("select pg_advisory_unlock(71)");
            earlier.get(60, TimeUnit.SECONDS);
            gates.execute("select pg_advisory_unlock(72)");
            later.get(60, TimeUnit.SECONDS);
            second.commit();
        }
    }

    /** A pass without the mutation has no gate and has already finished. */
    private static void awaitAtGate(ScriptedSession gates, long gate, CompletableFuture<Void> pass) {
        Await.until(
                "a pass waits at gate " + gate,
                () -> pass.isDone()
                        || gates.isTrue("select exists (select from pg_locks where locktype = 'advisory' and objid = "
                                + gate + " and not granted)"));
    }
}
