package io.postrider.proof.history;

import io.postrider.proof.check.HistoryChecker;
import java.util.Arrays;
import java.util.StringJoiner;

/**
 * What a statement could see, as in {@code pg_current_snapshot()}: the transactions below {@link #xmax()} except those still in
 * progress.
 *
 * <p>{@code insert … returning id, pg_current_snapshot()} returns it at no extra cost, and it is the strongest evidence there is:
 * it names <em>every</em> commit that the emitting statement could see, not just those that were queried.
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
     * The same with one more transaction in progress: PostgreSQL leaves a transaction out of its own snapshots, but a transaction
     * cannot have seen its own commit. {@link HistoryChecker} does this for the emitting one.
     */
    public Snapshot withInProgress(long xid) {
        // Nothing from xmax on was visible anyway. xmax stays unchanged: the snapshot of a transaction's first
        // statement is older than its xid, so it has seen nothing that began in between.
        if (xid >= xmax || Arrays.binarySearch(inProgress, xid) >= 0) {
            return this;
        }
        long[] more = Arrays.copyOf(inProgress, inProgress.length + 1);
        more[inProgress.length] = xid;
        Arrays.sort(more);
        return new Snapshot(Math.min(xmin, xid), xmax, more);
    }

    /** Every transaction below this one has ended. */
    public long xmin() {
        return xmin;
    }

    /** No transaction from this one on had ended. */
    public long xmax() {
        return xmax;
    }

    /** Those in between that had not ended, ascending. */
    public long[] inProgress() {
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
