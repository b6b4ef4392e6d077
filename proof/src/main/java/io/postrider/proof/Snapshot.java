package io.postrider.proof;

import java.util.Arrays;
import java.util.StringJoiner;

/**
 * What a statement could see, in the words of {@code pg_current_snapshot()}: the transactions below {@link #xmax()},
 * less those still in progress.
 *
 * <p>{@code insert … returning id, pg_current_snapshot()} gives it at no extra cost, and it is the sharpest evidence
 * there is: it names <em>every</em> commit that the emitting statement could see, not just those somebody looked up.
 */
public final class Snapshot {
    /** Nothing is known to have been seen. */
    public static final Snapshot NONE = new Snapshot(0, 0, new long[0]);

    private final long xmin;
    private final long xmax;
    private final long[] inProgress;

    private Snapshot(long xmin, long xmax, long[] inProgress) {
        this.xmin = xmin;
        this.xmax = xmax;
        this.inProgress = inProgress;
    }

    /** Reads PostgreSQL's text form, {@code xmin:xmax:xip,xip,…}. */
    public static Snapshot parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("a snapshot is xmin:xmax:xip,…, was " + text);
        }
        long[] inProgress = parts[2].isEmpty()
                ? new long[0]
                : Arrays.stream(parts[2].split(","))
                        .mapToLong(Long::parseLong)
                        .sorted()
                        .toArray();
        return new Snapshot(Long.parseLong(parts[0]), Long.parseLong(parts[1]), inProgress);
    }

    /**
     * The same, with one more in progress: PostgreSQL leaves a transaction out of its own snapshots, and nobody has
     * seen the commit of a transaction in which he is himself. {@link HistoryChecker} does it for the emitting one.
     */
    public Snapshot withInProgress(long xid) {
        // From xmax on nothing was seen anyway; and xmax stays, for a transaction's first statement has its snapshot
        // before it draws an xid, and has seen nothing of what began in between.
        if (xid >= xmax || Arrays.binarySearch(inProgress, xid) >= 0) {
            return this;
        }
        long[] more = Arrays.copyOf(inProgress, inProgress.length + 1);
        more[inProgress.length] = xid;
        Arrays.sort(more);
        return new Snapshot(Math.min(xmin, xid), xmax, more);
    }

    /** Every transaction below this one has ended. */
    long xmin() {
        return xmin;
    }

    /** No transaction from this one on had ended. */
    long xmax() {
        return xmax;
    }

    /** Those in between that had not ended, ascending. */
    long[] inProgress() {
        return inProgress;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Snapshot that
                && xmin == that.xmin
                && xmax == that.xmax
                && Arrays.equals(inProgress, that.inProgress);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(xmin) * 31 + Long.hashCode(xmax);
    }

    /** PostgreSQL's text form again. */
    @Override
    public String toString() {
        StringJoiner list = new StringJoiner(",", xmin + ":" + xmax + ":", "");
        for (long xid : inProgress) {
            list.add(Long.toString(xid));
        }
        return list.toString();
    }
}
