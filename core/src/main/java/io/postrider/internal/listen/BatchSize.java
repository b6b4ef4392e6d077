package io.postrider.internal.listen;

/**
 * How many events are handled at once: at most the listener's batch size. Fewer while halving looks for the event that fails, and
 * for a slow destination as many as it takes in about a second: during a batch the listener notices no pause, no reset and no
 * loss of its lock.
 */
final class BatchSize {
    static final long LONGEST_NANOS = 1_000_000_000L;

    /** At the start, when it is unknown how long they take. */
    private static final int FIRST = 32;

    private final int most;
    private final boolean byTime;
    private int current;

    BatchSize(int most, boolean byTime) {
        this.most = most;
        this.byTime = byTime;
        this.current = byTime ? Math.min(most, FIRST) : most;
    }

    int current() {
        return current;
    }

    /** One of this many events failed. */
    void halve(int events) {
        current = Math.max(1, events / 2);
    }

    /** The cursor has moved past the event that failed. */
    void recover() {
        current = byTime ? Math.min(most, Math.max(current, FIRST)) : most;
    }

    /** This many events were handled in this time. */
    void succeeded(int events, long nanos) {
        if (!byTime) {
            current = Math.min(most, current * 2);
        } else if (nanos < LONGEST_NANOS / 2) {
            current = Math.min(most, Math.max(current, events * 2)); // the time of a few says nothing about many
        } else {
            current = (int) Math.min(current, Math.max(1, events * LONGEST_NANOS / nanos));
        }
    }
}
