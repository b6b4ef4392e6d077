package io.postrider.internal.work;

import io.postrider.internal.claim.Claims;
import io.postrider.internal.claim.HeldCount;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.threads.WakeSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The slots of one queue: jobs that wait for a slot, and the threads that run them, one for each slot in use. Safe to share. */
final class Slots {
    private static final int LARGEST_CLAIM = 2_000;

    private final int slots;
    private final JobRun jobRun;
    private final HeldCount held;
    private final ExecutorService threads;
    private final WakeSignal signal;
    private final Pace pace = new Pace();
    private final ConcurrentLinkedQueue<HeldJob> waiting = new ConcurrentLinkedQueue<>();

    /** Characters of the payloads that wait for a slot. */
    private final AtomicLong waitingLength = new AtomicLong();

    /** Threads that run jobs. */
    private final AtomicInteger runners = new AtomicInteger();

    /** @param signal sent when a thread has run out of jobs */
    Slots(int slots, JobRun jobRun, HeldCount held, ExecutorService threads, WakeSignal signal) {
        this.slots = slots;
        this.jobRun = jobRun;
        this.held = held;
        this.threads = threads;
        this.signal = signal;
    }

    /**
     * How many jobs may be claimed. Not one at a time, unless a slot is free: a claim costs as much for one job as for many.
     *
     * @param rated whether the queue limits how many jobs begin in a period: then none is claimed before a slot is free for it
     */
    int room(boolean rated) {
        int capacity = pace.capacity(slots);
        int now = held.count();
        if (isLoaded()) {
            return 0;
        }
        if (rated) {
            return slots - now;
        }
        boolean slotFree = runners.get() < slots && waiting.isEmpty();
        return slotFree || now <= capacity / 2 ? Math.min(capacity - now, LARGEST_CLAIM) : 0;
    }

    /** Whether the waiting payloads are as much as a small heap can hold. */
    boolean isLoaded() {
        return waitingLength.get() > Claims.BYTES;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** The jobs that wait for a slot. */
    List<HeldJob> waiting() {
        return List.copyOf(waiting);
    }

    /** Adds a job that waits for a slot. It runs after a call of {@link #start}. */
    void add(HeldJob heldJob) {
        waitingLength.addAndGet(heldJob.job().payload().length());
        waiting.add(heldJob);
    }

    /** Removes the jobs that wait for a slot. */
    List<HeldJob> drain() {
        List<HeldJob> drained = new ArrayList<>();
        for (HeldJob one = waiting.poll(); one != null; one = waiting.poll()) {
            waitingLength.addAndGet(-one.job().payload().length());
            drained.add(one);
        }
        return drained;
    }

    /** Starts as many threads as are worth it for this many jobs. */
    void start(int jobs) {
        startRunners(Math.min(slots, pace.runners(jobs)));
    }

    /** Starts a thread for each slot: jobs still wait, so they take longer than expected. */
    void startAll() {
        startRunners(slots);
    }

    private void startRunners(int wanted) {
        for (int missing = wanted - runners.get(); missing > 0 && !waiting.isEmpty(); missing--) {
            int now = runners.get();
            if (now < wanted && runners.compareAndSet(now, now + 1)) {
                try {
                    threads.execute(this::runJobs);
                } catch (RejectedExecutionException
                        | OutOfMemoryError e) { // no thread now: those that run take the rest
                    runners.decrementAndGet();
                    return;
                }
            }
        }
    }

    /** One slot: runs jobs until none is waiting. */
    private void runJobs() {
        do {
            try {
                HeldJob next;
                while ((next = waiting.poll()) != null) {
                    waitingLength.addAndGet(-next.job().payload().length());
                    pace.took(jobRun.run(next));
                }
            } finally {
                runners.decrementAndGet();
            }
        } while (!waiting.isEmpty() && again()); // a job may have been added between the last poll and the decrement
        signal.send();
    }

    private boolean again() {
        int now = runners.get();
        return now < slots && runners.compareAndSet(now, now + 1);
    }
}
