package io.postrider.proof.interleaving;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Every order in which the steps of several sessions can happen, keeping the order within each session.
 *
 * <p>Three sessions of 5, 5 and 4 steps have 14! / (5! 5! 4!) = 252,252 of them, few enough to run all. They are generated
 * lazily, always in alphabetical order: AAABB, AABAB, AABBA … Immutable.
 */
public final class Schedules implements Iterable<Schedule> {
    private final int[] steps;

    private Schedules(int[] steps) {
        this.steps = steps;
    }

    /** The schedules of sessions with these numbers of steps. */
    public static Schedules of(int... steps) {
        if (steps.length == 0
                || steps.length > Schedule.MOST_SESSIONS
                || Arrays.stream(steps).anyMatch(n -> n < 0)) {
            throw new IllegalArgumentException(
                    "sessions must be 1..26, each of 0 or more steps, were " + Arrays.toString(steps));
        }
        return new Schedules(steps.clone());
    }

    /** The exact number of schedules. */
    public BigInteger count() {
        BigInteger count = BigInteger.ONE;
        int placed = 0;
        for (int sessionSteps : steps) {
            for (int step = 1; step <= sessionSteps; step++) {
                // Multiplying before dividing keeps it an integer: after each round it is a multiple of a binomial
                // coefficient.
                count = count.multiply(BigInteger.valueOf(++placed)).divide(BigInteger.valueOf(step));
            }
        }
        return count;
    }

    @Override
    public Iterator<Schedule> iterator() {
        return new InOrder(first());
    }

    /** All of them, in order. */
    public Stream<Schedule> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    /**
     * A random selection of this many, all different and equally likely; all of them in order if there are no more. The same seed
     * selects the same ones.
     */
    public Stream<Schedule> sample(int size, long seed) {
        BigInteger count = count();
        if (count.compareTo(BigInteger.valueOf(size)) <= 0) {
            return stream();
        }
        SplittableRandom random = new SplittableRandom(seed);
        if (count.compareTo(BigInteger.valueOf(2L * size)) <= 0) {
            // Random picks would repeat often; instead, iterate over all and leave some out.
            return choose(size, count.longValueExact(), random);
        }
        Set<Schedule> chosen = new HashSet<>();
        return Stream.generate(() -> shuffled(random)).filter(chosen::add).limit(size);
    }

    private Stream<Schedule> choose(long size, long count, SplittableRandom random) {
        long[] left = {size, count};
        return stream().filter(schedule -> {
            boolean taken = random.nextLong(left[1]--) < left[0];
            left[0] -= taken ? 1 : 0;
            return taken;
        });
    }

    private Schedule shuffled(SplittableRandom random) {
        byte[] turns = first();
        for (int i = turns.length - 1; i > 0; i--) {
            swap(turns, i, random.nextInt(i + 1));
        }
        return new Schedule(turns);
    }

    private byte[] first() {
        byte[] turns = new byte[Arrays.stream(steps).sum()];
        int placed = 0;
        for (int session = 0; session < steps.length; session++) {
            Arrays.fill(turns, placed, placed += steps[session], (byte) session);
        }
        return turns;
    }

    private static void swap(byte[] turns, int i, int j) {
        byte turn = turns[i];
        turns[i] = turns[j];
        turns[j] = turn;
    }

    /** Iterates from each schedule to the next in alphabetical order. */
    private static final class InOrder implements Iterator<Schedule> {
        private final byte[] turns;
        private boolean more = true;

        InOrder(byte[] first) {
            turns = first;
        }

        @Override
        public boolean hasNext() {
            return more;
        }

        @Override
        public Schedule next() {
            if (!more) {
                throw new NoSuchElementException("there are no more schedules");
            }
            Schedule schedule = new Schedule(turns);
            more = advance();
            return schedule;
        }

        /** Raises the last turn that can be raised by the smallest possible step, and sorts the turns behind it. */
        private boolean advance() {
            int raised = turns.length - 2;
            while (raised >= 0 && turns[raised] >= turns[raised + 1]) {
                raised--;
            }
            if (raised < 0) {
                return false;
            }
            int by = turns.length - 1;
            while (turns[by] <= turns[raised]) {
                by--;
            }
            swap(turns, raised, by);
            for (int i = raised + 1, j = turns.length - 1; i < j; i++, j--) {
                swap(turns, i, j);
            }
            return true;
        }
    }
}
