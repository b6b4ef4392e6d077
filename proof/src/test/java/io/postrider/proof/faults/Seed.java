package io.postrider.proof.faults;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** A seed that is printed, so that a failure can be tried again: {@code -Dpostrider.test.seed=…}. */
final class Seed {
    private Seed() {}

    static long next(String test) {
        String given = System.getProperty("postrider.test.seed", "");
        long seed = given.isEmpty() ? ThreadLocalRandom.current().nextLong(1_000_000) : Long.parseLong(given);
        System.out.println(test + ": seed " + seed);
        return seed;
    }

    /** Milliseconds from low to high, both included, as nanoseconds. */
    static long nanos(Random random, int low, int high) {
        return (low + random.nextInt(high - low + 1)) * 1_000_000L;
    }
}
