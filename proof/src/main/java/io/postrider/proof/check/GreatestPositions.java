package io.postrider.proof.check;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Positions by number (version of a key, or xid), with a query for the greatest position of the numbers from a to b. Filled
 * first, queried afterwards; 0 means that there is none.
 */
final class GreatestPositions {
    private long[] numbers = new long[4];
    private long[] positions = new long[4];
    private int size;
    private boolean sealed;
    /** The greatest position up to this index. */
    private long[] prefix = {};
    /** A segment tree: index i has the maximum of 2i and 2i + 1; the leaves begin at {@link #size}. */
    private long[] tree = {};

    void add(long number, long position) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, size * 2);
            positions = Arrays.copyOf(positions, size * 2);
        }
        numbers[size] = number;
        positions[size++] = position;
    }

    /** The greatest position of any number up to this one. */
    long upTo(long number) {
        seal();
        int end = placeAfter(number);
        return end == 0 ? 0 : prefix[end - 1];
    }

    /** The greatest position of the numbers from first to last, inclusive. */
    long within(long first, long last) {
        seal();
        if (first > last) {
            return 0;
        }
        plant();
        long greatest = 0;
        int low = placeAfter(first - 1) + size;
        int high = placeAfter(last) + size;
        while (low < high) {
            if ((low & 1) == 1) {
                greatest = Math.max(greatest, tree[low++]);
            }
            if ((high & 1) == 1) {
                greatest = Math.max(greatest, tree[--high]);
            }
            low >>= 1;
            high >>= 1;
        }
        return greatest;
    }

    private void seal() {
        if (sealed) {
            return;
        }
        sealed = true;
        sort();
        prefix = Arrays.copyOf(positions, size);
        Arrays.parallelPrefix(prefix, Math::max);
    }

    private void sort() {
        if (IntStream.range(1, size).allMatch(i -> numbers[i - 1] <= numbers[i])) {
            return;
        }
        int[] order = IntStream.range(0, size)
                .boxed()
                .sorted(Comparator.comparingLong(i -> numbers[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        numbers = Arrays.stream(order).mapToLong(i -> numbers[i]).toArray();
        positions = Arrays.stream(order).mapToLong(i -> positions[i]).toArray();
    }

    private void plant() {
        if (tree.length > 0 || size == 0) {
            return;
        }
        tree = new long[2 * size];
        System.arraycopy(positions, 0, tree, size, size);
        for (int i = size - 1; i > 0; i--) {
            tree[i] = Math.max(tree[2 * i], tree[2 * i + 1]);
        }
    }

    /** How many numbers are less than or equal to this one. */
    private int placeAfter(long number) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (numbers[middle] <= number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
