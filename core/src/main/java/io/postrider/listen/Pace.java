package io.postrider.listen;

/**
 * How many events are handed over at once: a batch; fewer while one that fails is looked for by halving, and fewer where so many
 * take a second or more. A listener in the middle of a batch heeds nobody: a pause, a reset, the loss of its lock.
 */
final class Pace {
    /** Nanoseconds. */
    static final long LONGEST = 1_000_000_000L;

    /** To begin with, where nobody knows how long they take. */
    private static final int FIRST = 32;

    private final int batch;
    private final boolean byTime;
    private int slice;

    Pace(int batch, boolean byTime) {
        this.batch = batch;
        this.byTime = byTime;
        this.slice = byTime ? Math.min(batch, FIRST) : batch;
    }

    int slice() {
        return slice;
    }

    /** One of so many fails. */
    void halve(int events) {
        slice = Math.max(1, events / 2);
    }

    /** The one that failed is out of the way. */
    void recover() {
        slice = byTime ? Math.min(batch, Math.max(slice, FIRST)) : batch;
    }

    /** So many went well in so long. */
    void took(int events, long nanos) {
        if (!byTime) {
            slice = Math.min(batch, slice * 2);
        } else if (nanos < LONGEST / 2) {
            slice = Math.min(batch, Math.max(slice, events * 2)); // what a few took says nothing of many
        } else {
            slice = (int) Math.min(slice, Math.max(1, events * LONGEST / nanos));
        }
    }
}
