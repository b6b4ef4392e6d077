package io.postrider.internal.work;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.claim.Claim;
import io.postrider.internal.claim.Claims;
import io.postrider.internal.claim.FoundJob;
import io.postrider.internal.claim.HeldCount;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.threads.WakeSignal;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the jobs of claims. The first jobs come with the answer to a claim; the other positions of a large claim are read in slices
 * by two readers, while the next claim is made. Payloads that were too long to come with the rest of their slice are read by the
 * thread of the queue when no job waits here any more.
 *
 * <p>A row that cannot be read makes the whole slice fail. It is found by halving the slice, so that it affects one job and not the
 * queue.
 */
final class Slices {
    private static final Logger log = LoggerFactory.getLogger(Slices.class);

    /** How many positions are read at once. */
    static final int SIZE = 500;

    private static final int READERS = 2;

    private final Claims claims;
    private final Slots slots;
    private final Dispatcher dispatcher;
    private final HeldCount held;
    private final ExecutorService threads;
    private final WakeSignal signal;
    private final ConcurrentLinkedQueue<Slice> unread = new ConcurrentLinkedQueue<>();
    private final AtomicInteger readers = new AtomicInteger();

    /** Slices, or what is left of them, that the thread of the queue reads: too long, or a reader has failed. */
    private final ConcurrentLinkedQueue<Slice> postponed = new ConcurrentLinkedQueue<>();

    private volatile boolean running = true;

    /** @param signal sent when a reader has run out of slices */
    Slices(
            Claims claims,
            Slots slots,
            Dispatcher dispatcher,
            HeldCount held,
            ExecutorService threads,
            WakeSignal signal) {
        this.claims = claims;
        this.slots = slots;
        this.dispatcher = dispatcher;
        this.held = held;
        this.threads = threads;
        this.signal = signal;
    }

    /** Stops the readers. */
    void stop() {
        running = false;
    }

    /**
     * Hands out the jobs that came with a claim, and has the others read.
     *
     * @param read how many jobs were to be read with the claim; zero after a claim failed because of a row
     */
    void add(Claim claim, long worker, int read, List<FoundJob> found) {
        boolean uncounted = read == 0;
        long first = Math.min(claim.to(), claim.from() + read - 1);
        for (long after = first; after < claim.to(); after += SIZE) {
            unread.add(new Slice(claim, worker, after, Math.min(claim.to(), after + SIZE), uncounted));
        }
        startReaders();
        dispatcher.dispatch(found);
        readLater(new Slice(claim, worker, claim.from() - 1, first, uncounted).rest(found));
    }

    private void readLater(Slice rest) {
        if (rest.size() > 0) {
            postponed.add(rest);
        }
    }

    void startReaders() {
        for (int now = readers.get(); !unread.isEmpty() && !slots.isLoaded() && now < READERS; now = readers.get()) {
            if (readers.compareAndSet(now, now + 1)) {
                try {
                    threads.execute(this::readAll);
                } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread now: the next round tries again
                    readers.decrementAndGet();
                    return;
                }
            }
        }
    }

    private void readAll() {
        @Nullable Slice slice = null;
        try {
            while (running && !slots.isLoaded() && (slice = unread.poll()) != null) {
                read(slice);
            }
        } catch (RuntimeException | Error e) {
            log.warn("reading_failed queue={} error=\"{}\"", claims.queue(), e.getMessage());
            if (slice != null) {
                postponed.add(slice); // the thread of the queue reads it, and backs off if that fails again
            }
        } finally {
            readers.decrementAndGet();
        }
        signal.send();
    }

    /**
     * Reads what was left for the thread of the queue, if no job waits for a slot.
     *
     * @param number the current worker number: positions of an earlier one may be gone, and reading them would fail forever
     */
    void readPostponed(long number) {
        Slice slice = slots.hasWaiting() ? null : postponed.peek();
        if (slice == null) {
            return;
        }
        if (slice.worker() == number) {
            read(slice);
            postponed.remove(slice);
        } else {
            postponed.remove(slice);
            held.add(slice.worker(), -slice.size());
        }
    }

    private void read(Slice slice) {
        List<FoundJob> found;
        try {
            found = claims.read(slice.claim(), slice.worker(), slice.after(), slice.upto());
        } catch (PostriderException e) {
            if (!SqlState.isOfTheData(SqlState.of(e))) {
                throw e;
            }
            isolate(slice, e);
            return;
        }
        if (found.isEmpty()) {
            throw new PostriderException(Kind.FAILED, "no jobs at positions " + slice);
        }
        dispatcher.dispatch(
                slice.uncounted() ? found.stream().map(FoundJob::heldByKey).toList() : found);
        readLater(slice.rest(found));
    }

    /** Halves a slice with a row that cannot be read, until only that row is left, which becomes a dead letter. */
    private void isolate(Slice slice, PostriderException e) {
        if (slice.size() > 1) {
            unread.addAll(slice.halves());
        } else {
            dispatcher.bury(
                    claims.unreadable(slice.claim(), slice.worker(), slice.upto()),
                    "unreadable",
                    "the row cannot be read: " + e.getMessage());
        }
    }

    /** Drops what is not read. Returns how many positions. */
    int drop() {
        int dropped = 0;
        postponeAll();
        for (Slice slice = postponed.poll(); slice != null; slice = postponed.poll()) {
            held.add(slice.worker(), -slice.size());
            dropped += slice.size();
        }
        return dropped;
    }

    /** Reads what is left after {@link Dispatcher#stop}, so that it is returned. What cannot be read is left to a takeover. */
    void handBack() {
        postponeAll();
        for (Slice slice = postponed.poll(); slice != null; slice = postponed.poll()) {
            try {
                read(slice);
                postponeAll(); // the halves of a slice with a bad row
            } catch (PostriderException e) {
                log.warn("handing_back_failed queue={} error=\"{}\"", claims.queue(), e.getMessage());
                return;
            }
        }
    }

    private void postponeAll() {
        postponed.addAll(unread);
        unread.clear();
    }
}
