package io.postrider.work;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node that does one job and nothing else: for a job that is suspected of having ended two workers. If the process dies
 * now, it was this one. Safe to share.
 */
final class Solitude {
    private final BooleanSupplier quiet;
    private final Runnable over;
    private @Nullable QueueRun holder;

    /**
     * @param quiet whether nothing runs on this node
     * @param over called when others may claim again
     */
    Solitude(BooleanSupplier quiet, Runnable over) {
        this.quiet = quiet;
        this.over = over;
    }

    /** Asks for it. From now on nobody on this node claims anything, until the one who has it lets go. */
    synchronized void want(QueueRun run) {
        if (holder == null) {
            holder = run;
        }
    }

    synchronized boolean isWanted() {
        return holder != null;
    }

    synchronized boolean isOf(QueueRun run) {
        return holder == run;
    }

    /** Whether all that ran has ended. */
    boolean isQuiet() {
        return quiet.getAsBoolean();
    }

    void end(QueueRun run) {
        synchronized (this) {
            if (holder != run) {
                return;
            }
            holder = null;
        }
        over.run();
    }
}
