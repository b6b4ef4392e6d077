package io.postrider.work;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes one who waits; rung while nobody waits, it ends the next wait at once. Safe to share. */
final class Bell {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();
    private boolean ringing;

    void ring() {
        lock.lock();
        try {
            if (!ringing) {
                ringing = true;
                rung.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is rung, at most so long. */
    void await(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (!ringing && left > 0) {
                left = rung.awaitNanos(left);
            }
            ringing = false;
        } finally {
            lock.unlock();
        }
    }

    /** The same for a time. */
    void await(long time, TimeUnit unit) throws InterruptedException {
        await(unit.toNanos(time));
    }
}
