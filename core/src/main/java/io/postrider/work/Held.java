package io.postrider.work;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many jobs a queue of this node has claimed and not settled, by the worker number they were claimed under. Safe to share. */
final class Held {
    private final AtomicInteger all = new AtomicInteger();
    private final Map<Long, AtomicInteger> byWorker = new ConcurrentHashMap<>();

    /** More, or fewer. Gives how many there are now under all numbers. */
    int add(long worker, int jobs) {
        byWorker.computeIfAbsent(worker, missing -> new AtomicInteger()).addAndGet(jobs);
        return all.addAndGet(jobs);
    }

    int count() {
        return all.get();
    }

    /** Whether there are some that were claimed under this number. */
    boolean isAny(long worker) {
        AtomicInteger jobs = byWorker.get(worker);
        return jobs != null && jobs.get() > 0;
    }

    /** Numbers under which nothing is held any more, but for this one. */
    void tidy(long worker) {
        byWorker.entrySet()
                .removeIf(one -> one.getKey() != worker && one.getValue().get() == 0);
    }
}
