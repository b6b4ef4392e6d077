package io.postrider.listen;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A listener's place on this node, as the wire knows it: whether we hold it, and whether it may run. Safe to share. */
final class Post {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean held;
    private boolean shared;

    /** Whether what follows has been read since the lock was got: a paused listener must not run for even a moment. */
    private boolean known;

    private boolean paused;
    private boolean detached;
    private boolean due;
    private boolean testAsked;
    private @Nullable Instant askedAt;
    private long startRow;
    private long tenure;

    /** The wire got the lock, or lost it. Each time it is got is a tenure of its own. */
    void held(boolean now) {
        lock.lock();
        try {
            if (now && !held) {
                tenure++;
                known = false;
            }
            held = now;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Behind a pooler there is no lock to hold it by: others run it as well, and the ledger decides. */
    void share() {
        lock.lock();
        try {
            shared = true;
        } finally {
            lock.unlock();
        }
        held(true);
    }

    boolean isShared() {
        lock.lock();
        try {
            return shared;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Somebody wants to know whether the sink can be reached, and asked at this time; null if nobody does. Gives whether that is
     * new: while a test is being made, it is still asked for.
     */
    boolean askForTest(@Nullable Instant at) {
        lock.lock();
        try {
            boolean isNew = at != null && held && !at.equals(askedAt);
            if (isNew) {
                askedAt = at;
                testAsked = true;
                changed.signalAll();
            }
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a test is asked for and it is ours to make. */
    boolean takeTest() {
        lock.lock();
        try {
            boolean take = testAsked && held;
            testAsked &= !take;
            return take;
        } finally {
            lock.unlock();
        }
    }

    void status(boolean nowPaused, boolean nowDetached, boolean nowDue, long nowStartRow) {
        lock.lock();
        try {
            known = held;
            paused = nowPaused;
            detached = nowDetached;
            due |= nowDue;
            startRow = nowStartRow;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isHeld() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Whether setbacks have become due that this node did not know of: somebody asked for a replay. */
    boolean takeDue() {
        lock.lock();
        try {
            boolean was = due;
            due = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the listener has been reset since the row of its ledger that is given. */
    boolean isResetSince(long knownStartRow) {
        lock.lock();
        try {
            return startRow > knownStartRow;
        } finally {
            lock.unlock();
        }
    }

    /** Which tenure we are in if the listener may run here now; 0 if not. */
    long mayRun() {
        lock.lock();
        try {
            return held && known && !paused && !detached ? tenure : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a wait for a change. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits a while for {@link #mayRun} to change. */
    void awaitChange() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            changed.await(1, TimeUnit.SECONDS);
        } finally {
            lock.unlock();
        }
    }
}
