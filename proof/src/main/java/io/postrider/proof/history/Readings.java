package io.postrider.proof.history;

import java.util.Arrays;
import java.util.UUID;

/**
 * A sequence of (position, event) in the order of reading; with the attempt and the time if the reader was a handler.
 *
 * <p>Stored in columns, 36 bytes per reading: half of what objects would take, and there are more readings than events.
 */
public final class Readings {
    private final int size;
    private final long[] positions;
    private final long[] highs;
    private final long[] lows;
    private final long[] times;
    private final int[] attempts;

    private Readings(Collector collector) {
        size = collector.size;
        positions = Arrays.copyOf(collector.positions, size);
        highs = Arrays.copyOf(collector.highs, size);
        lows = Arrays.copyOf(collector.lows, size);
        times = Arrays.copyOf(collector.times, size);
        attempts = Arrays.copyOf(collector.attempts, size);
    }

    public int size() {
        return size;
    }

    public long position(int index) {
        return positions[index];
    }

    public UUID event(int index) {
        return new UUID(highs[index], lows[index]);
    }

    /** The attempt of the listener, from 1; 0 if there are no attempts. */
    public int attempt(int index) {
        return attempts[index];
    }

    /** When the handler was called, on the recorder's clock; 0 if unknown. */
    public long at(int index) {
        return times[index];
    }

    public long eventHigh(int index) {
        return highs[index];
    }

    public long eventLow(int index) {
        return lows[index];
    }

    /** Collects readings one by one. Threads may share it: the order of the calls is the order of reading. */
    public static final class Collector {
        private int size;
        private long[] positions = new long[16];
        private long[] highs = new long[16];
        private long[] lows = new long[16];
        private long[] times = new long[16];
        private int[] attempts = new int[16];

        public synchronized Collector add(long position, UUID event) {
            return add(position, event, 0, 0);
        }

        public synchronized Collector add(long position, UUID event, int attempt, long at) {
            if (size == positions.length) {
                grow();
            }
            positions[size] = position;
            highs[size] = event.getMostSignificantBits();
            lows[size] = event.getLeastSignificantBits();
            times[size] = at;
            attempts[size++] = attempt;
            return this;
        }

        public synchronized Readings collected() {
            return new Readings(this);
        }

        private void grow() {
            int capacity = size + (size >> 1);
            positions = Arrays.copyOf(positions, capacity);
            highs = Arrays.copyOf(highs, capacity);
            lows = Arrays.copyOf(lows, capacity);
            times = Arrays.copyOf(times, capacity);
            attempts = Arrays.copyOf(attempts, capacity);
        }
    }
}
