package io.postrider.proof.faults;

import io.postrider.testkit.TestRun;
import java.util.Random;

/** A seed that is printed, so that a failure can be tried again: {@code -Dpostrider.test.seed=…}. */
final class Seed {
    private Seed() {}

    static long next(String test) {
        return TestRun.seed(test);
    }

    /** Milliseconds from low to high, both included, as nanoseconds. */
    static long nanos(Random random, int low, int high) {
        return (low + random.nextInt(high - low + 1)) * 1_000_000L;
    }
}
