package io.postrider.testkit;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How thorough this run of the tests is, and which choices it makes by chance.
 *
 * <p>{@code -Dpostrider.test.prove=true} (as {@code ./test prove} sets it) repeats faults and schedules as often as a
 * release needs; a usual run checks the same promises with smaller counts. {@code -Dpostrider.test.seed=…} repeats the
 * random choices of a failed run.
 */
public final class TestRun {

    private TestRun() {}

    /** Whether the run uses the full counts. */
    public static boolean proves() {
        return Boolean.getBoolean("postrider.test.prove");
    }

    /** How often to repeat, or how many to make: the first number in a usual run, the second in one that proves. */
    public static int count(int usual, int full) {
        return proves() ? full : usual;
    }

    /** A seed for the random choices of a test. It is printed, so that a failure can be tried again. */
    public static long seed(String test) {
        String given = System.getProperty("postrider.test.seed", "");
        long seed = given.isEmpty() ? ThreadLocalRandom.current().nextLong(1_000_000) : Long.parseLong(given);
        System.out.println(test + ": -Dpostrider.test.seed=" + seed);
        return seed;
    }
}
