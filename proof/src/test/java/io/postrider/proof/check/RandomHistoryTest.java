package io.postrider.proof.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.proof.check.Simulation.Order;
import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.History;
import io.postrider.testkit.TestRun;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Histories by chance: good ones pass, spoilt ones are caught. Every failure names its seed; {@code
 * -Dpostrider.test.seed=…} runs that one first.
 */
@Tag("once")
class RandomHistoryTest {
    private static final long FIRST_SEED = TestRun.seed("RandomHistoryTest");
    private static final int MOST_WORLDS = 5_000;
    private static final Set<Kind> ORDER = EnumSet.of(Kind.TORN, Kind.CAUSAL, Kind.KEY_ORDER);

    @Test
    void what_a_right_sequencer_makes_is_good() {
        seeds(300).forEach(seed -> {
            History history = Simulation.world(seed).history(new Random(seed));
            assertThat(HistoryChecker.check(history)).as("seed %d", seed).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource
    void every_mutation_is_caught(Mutation mutation) {
        // Only some random histories can be corrupted: the test continues until 80 of them could be.
        long spoilt = seeds(MOST_WORLDS)
                .filter(seed -> isCaught(mutation, seed))
                .limit(80)
                .count();
        assertThat(spoilt)
                .as("worlds from seed %d on that had something to spoil", FIRST_SEED)
                .isEqualTo(80);
    }

    /** Whether there was anything to catch; if it is not caught, that is a failure. */
    private static boolean isCaught(Mutation mutation, long seed) {
        Optional<History> spoilt = mutation.on(Simulation.world(seed), new Random(seed));
        spoilt.map(HistoryChecker::check)
                .ifPresent(violations -> assertThat(HandWrittenHistory.kinds(violations))
                        .as("seed %d, %s: %s", seed, mutation, violations)
                        .containsAnyElementsOf(mutation.expected()));
        return spoilt.isPresent();
    }

    @Test
    void the_rules_of_order_say_what_their_definition_says() {
        seeds(300).forEach(seed -> {
            Random random = new Random(seed);
            SimulatedWorld world = new Simulation(seed, Order.BY_LAST_ID, 3).run(4, 25);
            List<UUID> log = world.log("orders");
            // From one exchange of neighbours, which may be allowed, to a full shuffle, which never is.
            for (int exchanges = 0; exchanges < 6 && log.size() > 1; exchanges++) {
                assertThat(orderBroken(world))
                        .as("seed %d, %d exchanges", seed, exchanges)
                        .isEqualTo(NaiveOrder.broken(world.transactions(), log));
                int at = random.nextInt(log.size() - 1);
                Collections.swap(log, at, at + 1);
            }
            Collections.shuffle(log, random);
            assertThat(orderBroken(world))
                    .as("seed %d, shuffled", seed)
                    .isEqualTo(NaiveOrder.broken(world.transactions(), log));
        });
    }

    @Test
    void ordering_by_xid_is_not_causal() {
        assertThat(foundBy(Order.BY_XID, Kind.CAUSAL, Kind.KEY_ORDER)).doesNotContain(Kind.TORN);
    }

    @Test
    void ordering_by_id_tears_transactions() {
        foundBy(Order.BY_ID, Kind.TORN);
    }

    @Test
    void a_cursor_on_the_sequence_loses_events() {
        foundBy(Order.ABOVE_LAST_ID, Kind.LOST);
    }

    private static Set<Kind> orderBroken(SimulatedWorld world) {
        Set<Kind> kinds = HandWrittenHistory.kinds(HistoryChecker.check(world.silent()));
        kinds.retainAll(ORDER);
        return kinds;
    }

    /** The findings of the checker in 50 worlds, and in further ones until all expected kinds are found. */
    private static Set<Kind> foundBy(Order order, Kind... expected) {
        Set<Kind> found = EnumSet.noneOf(Kind.class);
        for (int i = 0; i < MOST_WORLDS && (i < 50 || !found.containsAll(Set.of(expected))); i++) {
            SimulatedWorld world = new Simulation(FIRST_SEED + i, order, 4).run(6, 120);
            found.addAll(HandWrittenHistory.kinds(HistoryChecker.check(world.silent())));
        }
        assertThat(found).as("from seed %d on", FIRST_SEED).contains(expected);
        return found;
    }

    private static LongStream seeds(int count) {
        return LongStream.range(FIRST_SEED, FIRST_SEED + count);
    }
}
