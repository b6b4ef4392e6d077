package io.postrider.internal.settle;

import io.postrider.Backoff;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.threads.WakeSignal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the jobs of all queues of the node: one thread writes, in one transaction, all jobs that have ended since the last one.
 * While it waits for a commit, the next jobs gather.
 *
 * <p>A transaction whose commit may or may not have happened is repeated with the same content: either all of its rows exist, or
 * none.
 */
public final class Settler implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Settler.class);

    /** The code of a dead job whose outcome the server refused. */
    private static final String UNWRITABLE = "unwritable";

    /** Maximum number of jobs in one transaction. */
    private static final int MOST = 5_000;

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    private final Database database;
    private final Settlements settlements;
    private final ProgressReports progress;
    private final BiConsumer<List<EndedJob>, Set<EndedJob>> settled;
    private final ConcurrentLinkedQueue<EndedJob> ended = new ConcurrentLinkedQueue<>();
    private final WakeSignal signal = new WakeSignal();
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean idle;

    /** Of the thread only: the jobs of the transaction that is to be written next, or again. */
    private final List<EndedJob> batch = new ArrayList<>();

    /** Of the thread only: the jobs of a refused batch, which are written one by one. */
    private final Deque<EndedJob> oneByOne = new ArrayDeque<>();

    private int failures;

    /** @param settled called with jobs that are settled, and those of them that did not belong to this worker any more */
    public Settler(
            Database database,
            Settlements settlements,
            ProgressReports progress,
            BiConsumer<List<EndedJob>, Set<EndedJob>> settled) {
        this.database = database;
        this.settlements = settlements;
        this.progress = progress;
        this.settled = settled;
        this.thread = new Thread(this::run, "postrider-settler");
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Settles this job soon. */
    public void add(EndedJob one) {
        ended.add(one);
        if (idle) {
            signal.send(); // not for each of thousands per second: they would contend for the lock of the signal
        }
    }

    /** The transaction of this job's handler has settled it; or found that it did not belong to this worker any more. */
    public void settledInHandler(EndedJob one, boolean ours) {
        report(List.of(one), ours ? Set.of() : Set.of(one));
    }

    private void report(List<EndedJob> jobs, Set<EndedJob> lost) {
        progress.deleted(jobs);
        settled.accept(jobs, lost);
    }

    private void run() {
        while (running || !ended.isEmpty() || !batch.isEmpty() || !oneByOne.isEmpty()) {
            try {
                if (!gather()) {
                    rest();
                    continue;
                }
                Set<EndedJob> lost = database.transaction(session -> settlements.write(session, batch));
                report(batch, lost);
                batch.clear();
                failures = 0;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) { // any: without this thread nothing is settled on this node
                failures++;
                if (!recover(e)) {
                    return;
                }
            }
        }
    }

    /** Fills the batch, unless it is to be written again. False if there is nothing to write. */
    private boolean gather() {
        if (batch.isEmpty() && !oneByOne.isEmpty()) {
            batch.add(oneByOne.remove());
        }
        if (batch.isEmpty()) {
            EndedJob one;
            while (batch.size() < MOST && (one = ended.poll()) != null) {
                batch.add(one);
            }
        }
        return !batch.isEmpty();
    }

    /** Prepares the next try after a failure. False to give up: on close, the jobs are left to a takeover. */
    private boolean recover(Throwable e) {
        boolean refused = isRefused(e);
        if (refused && batch.size() > 1) {
            // One of them is at fault: the others are settled, and that one becomes a dead letter.
            oneByOne.addAll(batch);
            batch.clear();
            return true;
        }
        if (refused && batch.size() == 1) {
            batch.set(0, unwritable(batch.get(0), e));
        }
        log.warn("settling_failed failures={} jobs={} error=\"{}\"", failures, batch.size(), e.getMessage());
        if (!running && failures > 3) {
            return false;
        }
        pause();
        return true;
    }

    /** Whether the content is at fault and a retry would fail again: such as a number that jsonb cannot hold. */
    private static boolean isRefused(Throwable e) {
        String state = SqlState.of(e);
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
    }

    /** A dead letter; if that was refused as well, one without the job's content, which must then be the cause. */
    private static EndedJob unwritable(EndedJob one, Throwable e) {
        boolean again =
                one.outcome() instanceof Outcome.Dead dead && dead.code().equals(UNWRITABLE);
        return one.with(new Outcome.Dead(
                again ? Settlements.UNREADABLE : UNWRITABLE,
                "the outcome of the job cannot be written: " + e.getMessage()));
    }

    private void rest() throws InterruptedException {
        idle = true;
        if (ended.isEmpty()) {
            signal.await(100, TimeUnit.MILLISECONDS);
        }
        idle = false;
    }

    private void pause() {
        try {
            Thread.sleep(BACKOFF.exact(failures).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Settles the jobs that have ended, and stops. */
    @Override
    public void close() {
        running = false;
        signal.send();
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
