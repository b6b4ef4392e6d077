package io.postrider.testkit;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The repetition counts and the random seed of this test run.
 *
 * <p>{@code -Dpostrider.test.prove=true} (as {@code ./test prove} and {@code ./postrider prove} set it) repeats faults and schedules as often as a
 * release needs; a usual run checks the same promises with smaller counts. {@code -Dpostrider.test.seed=…} repeats the
 * random choices of a failed run.
 */
public final class TestRun {

    private TestRun() {}

    /** Whether the run uses the full counts. */
    public static boolean proves() {
        return Boolean.getBoolean("postrider.test.prove");
    }

    /** A repetition count: the first number in a usual run, the second with {@code ./test prove}. */
    public static int count(int usual, int full) {
        return proves() ? full : usual;
    }

    /** A seed for the random choices of a test. It is printed, so that a failure can be reproduced. */
    public static long seed(String test) {
        String given = System.getProperty("postrider.test.seed", "");
        long seed = given.isEmpty() ? ThreadLocalRandom.current().nextLong(1_000_000) : Long.parseLong(given);
        System.out.println(test + ": -Dpostrider.test.seed=" + seed);
        return seed;
    }
}
