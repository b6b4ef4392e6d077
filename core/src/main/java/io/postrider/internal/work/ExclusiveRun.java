package io.postrider.internal.work;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a node run one job and nothing else: for a job that is suspected of having ended two workers. If the process dies then, that
 * job is the cause. Safe to share.
 */
final class ExclusiveRun {
    private final BooleanSupplier quiet;
    private final Runnable over;

    /** The queue that has it; while there is one, no other queue claims. */
    private @Nullable Object owner;

    /**
     * @param quiet whether no job runs on this node
     * @param over called when other queues may claim again
     */
    ExclusiveRun(BooleanSupplier quiet, Runnable over) {
        this.quiet = quiet;
        this.over = over;
    }

    /** Requests it for a queue. Until that queue ends it, no other queue of this node claims. */
    synchronized void request(Object queue) {
        if (owner == null) {
            owner = queue;
        }
    }

    synchronized boolean isRequested() {
        return owner != null;
    }

    synchronized boolean isOf(Object queue) {
        return owner == queue;
    }

    /** Whether every job of this node has ended. */
    boolean isQuiet() {
        return quiet.getAsBoolean();
    }

    void end(Object queue) {
        synchronized (this) {
            if (owner != queue) {
                return;
            }
            owner = null;
        }
        over.run();
    }
}
