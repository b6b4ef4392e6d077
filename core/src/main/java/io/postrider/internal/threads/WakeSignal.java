package io.postrider.internal.threads;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes a waiting thread. A signal that is sent while no thread waits ends the next wait at once. Safe to share. */
public final class WakeSignal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean sent;

    public void send() {
        lock.lock();
        try {
            if (!sent) {
                sent = true;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the signal, at most this long. */
    public void await(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (!sent && left > 0) {
                left = changed.awaitNanos(left);
            }
            sent = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the signal, at most this long. */
    public void await(long time, TimeUnit unit) throws InterruptedException {
        await(unit.toNanos(time));
    }
}
