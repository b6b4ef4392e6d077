package io.postrider.proof.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.proof.check.Simulation.Order;
import io.postrider.proof.history.History;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A checker that takes longer than the run would not be used. */
@Tag("once")
@Tag("slow")
@Tag("prove")
class HistoryCheckerSpeedTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Test
    void a_million_events_are_checked_in_seconds_whether_right_or_wrong() {
        SimulatedWorld world = new Simulation(1, Order.BY_LAST_ID, 200).run(24, 1_000_000);
        History right = world.history(new Random(1));
        assertThat(timed(right)).isLessThan(LIMIT);

        List<UUID> log = world.log("orders");
        Collections.shuffle(log, new Random(1));
        assertThat(timed(world.silent())).isLessThan(LIMIT);
    }

    /** Processor time, for a machine with other work to do would fail it by the clock. */
    private static Duration timed(History history) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        List<Violation> violations = HistoryChecker.check(history);
        Duration took = Duration.ofNanos(threads.getCurrentThreadCpuTime() - start);
        System.out.println("checked in " + took.toMillis() + " ms, " + violations.size() + " lines of violations");
        return took;
    }
}
