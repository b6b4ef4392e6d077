package io.postrider.internal.listen;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node runs a listener. The node's connection writes it, the listener's thread reads it: whether we hold the lock, and
 * whether the listener is paused or detached. Thread-safe.
 */
final class Assignment implements ListenerWait.Signal {
    /** Instead of the number of an acquisition: the listener may not run here now. */
    static final long NOT_ACQUIRED = 0;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private boolean held;
    private boolean shared;

    /** Whether the following fields were read after the lock was acquired: a paused listener must not run even for a moment. */
    private boolean known;

    private boolean paused;
    private boolean detached;
    private boolean due;
    private boolean testRequested;
    private boolean shadowRequested;
    private long reading;
    private boolean readingRequested;
    private @Nullable Instant requestedAt;
    private long epoch;
    private long acquisitions;

    /** The node's connection has acquired the lock, or lost it. A tenure begins with each acquisition. */
    void held(boolean now) {
        lock.lock();
        try {
            if (now && !held) {
                acquisitions++;
                known = false;
            }
            held = now;
            signal();
        } finally {
            lock.unlock();
        }
    }

    /** Behind a pooler no session can hold a lock: other nodes run the listener as well, and the ledger decides. */
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
     * An operator has requested a test of the sink at this time; null if there is no request. Returns whether the request is new: it
     * stays until the test is done.
     */
    boolean requestTest(@Nullable Instant at) {
        lock.lock();
        try {
            boolean isNew = at != null && held && !at.equals(requestedAt);
            if (isNew) {
                requestedAt = at;
                testRequested = true;
                signal();
            }
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a test is requested and this node has to make it. */
    boolean takeTest() {
        lock.lock();
        try {
            boolean take = testRequested && held;
            testRequested &= !take;
            return take;
        } finally {
            lock.unlock();
        }
    }

    /**
     * An operator wants shadow mode, and a reading of what another publisher has sent (0: none). Returns whether one of them is
     * new: they stay until the listener has followed them.
     */
    boolean requestShadow(boolean shadow, long newReading) {
        lock.lock();
        try {
            boolean isNew = held && ((shadow && !shadowRequested) || newReading > reading);
            shadowRequested = shadow;
            if (held && newReading > reading) {
                reading = newReading;
                readingRequested = true;
            }
            if (isNew) {
                signal();
            }
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    boolean isShadowRequested() {
        lock.lock();
        try {
            return shadowRequested;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a reading is requested and this node has to make it. */
    boolean takeReading() {
        lock.lock();
        try {
            boolean take = readingRequested && held;
            readingRequested &= !take;
            return take;
        } finally {
            lock.unlock();
        }
    }

    /** What the database says about the listener. */
    void update(boolean nowPaused, boolean nowDetached, boolean nowDue, long nowEpoch) {
        lock.lock();
        try {
            boolean changed = known != held || paused != nowPaused || detached != nowDetached || epoch != nowEpoch;
            known = held;
            paused = nowPaused;
            detached = nowDetached;
            due |= nowDue;
            epoch = nowEpoch;
            if (changed || nowDue) {
                signal();
            }
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

    /** Whether setbacks are due that this node does not know of, because an operator requested a replay. */
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

    /** Whether the listener was reset after this epoch began. */
    boolean isResetSince(long knownEpoch) {
        lock.lock();
        try {
            return epoch > knownEpoch;
        } finally {
            lock.unlock();
        }
    }

    /** The number of the lock's acquisition if the listener may run here now, or {@link #NOT_ACQUIRED}. */
    long acquisition() {
        lock.lock();
        try {
            return held && known && !paused && !detached ? acquisitions : NOT_ACQUIRED;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a wait for a change. */
    void wake() {
        lock.lock();
        try {
            signal();
        } finally {
            lock.unlock();
        }
    }

    /** Calls this once when something has changed, unless the listener may run here now or has a test or a reading to make. */
    @Override
    public boolean once(Runnable call) {
        lock.lock();
        try {
            return acquisition() == NOT_ACQUIRED && !((testRequested || readingRequested) && held) && waiting.add(call);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void forget(Runnable call) {
        lock.lock();
        try {
            waiting.remove(call);
        } finally {
            lock.unlock();
        }
    }

    private void signal() {
        List<Runnable> calls = List.copyOf(waiting);
        waiting.clear();
        calls.forEach(Runnable::run);
    }
}
