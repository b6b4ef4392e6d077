package io.postrider.internal.claim;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many jobs a queue of this node has claimed and not settled, by the worker number they were claimed under. Thread-safe. */
public final class HeldCount {
    private final AtomicInteger all = new AtomicInteger();
    private final Map<Long, AtomicInteger> byWorker = new ConcurrentHashMap<>();

    /** Adds jobs, or removes them if negative. */
    public void add(long worker, int jobs) {
        byWorker.computeIfAbsent(worker, missing -> new AtomicInteger()).addAndGet(jobs);
        all.addAndGet(jobs);
    }

    public int count() {
        return all.get();
    }

    /** Whether jobs are held that were claimed under this number. */
    public boolean isAny(long worker) {
        AtomicInteger jobs = byWorker.get(worker);
        return jobs != null && jobs.get() > 0;
    }

    /** Removes numbers under which no job is held, except this one. */
    public void tidy(long worker) {
        byWorker.entrySet()
                .removeIf(one -> one.getKey() != worker && one.getValue().get() == 0);
    }
}
