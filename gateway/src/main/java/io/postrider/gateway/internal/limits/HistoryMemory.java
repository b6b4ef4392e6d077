package io.postrider.gateway.internal.limits;

import io.postrider.gateway.internal.limits.ConnectionLimits.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits the memory of events that were read from the event log for streams that resume: in total, half of that for one project and
 * a quarter for one subject. Live events are shared by all streams, but each stream that resumes has copies of its own, of up to
 * 1 MiB. An owner that holds nothing gets any size while the total leaves room for it, or while nobody holds anything. Thread-safe.
 */
public final class HistoryMemory {
    private final long most;

    // Guarded by this.
    private final Map<Owner, Long> byOwner = new HashMap<>();
    private final Map<String, Long> byProject = new HashMap<>();
    private long total;

    /** At most this many bytes in total. */
    public HistoryMemory(long most) {
        this.most = most;
    }

    /** Bytes that are held now. */
    public synchronized long bytes() {
        return total;
    }

    /** Holds this many bytes if there is room for them. */
    public synchronized boolean tryHold(Owner owner, long size) {
        boolean fits = fits(total, size, most)
                && fits(byProject.getOrDefault(project(owner), 0L), size, most / 2)
                && fits(byOwner.getOrDefault(owner, 0L), size, most / 4);
        if (fits) {
            hold(owner, size);
        }
        return fits;
    }

    /** Holds this many bytes, beyond the limit if necessary; releases them if the number is negative. */
    public synchronized void hold(Owner owner, long size) {
        if (size == 0) {
            return; // an owner without bytes is not kept
        }
        total += size;
        byOwner.merge(owner, size, HistoryMemory::sum);
        byProject.merge(project(owner), size, HistoryMemory::sum);
    }

    /** Null removes the entry. */
    @SuppressWarnings("NullAway") // merge() takes a null result, and its annotations do not say so
    private static Long sum(Long was, Long more) {
        return was + more == 0 ? null : Long.valueOf(was + more);
    }

    private static boolean fits(long held, long size, long most) {
        return held == 0 || held + size <= most;
    }

    private static String project(Owner owner) {
        return owner.project() == null ? "" : owner.project();
    }
}
