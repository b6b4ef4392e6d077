package io.postrider.redis;

import io.postrider.LogEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The unprocessed messages of one topic: trusted events, and the highest position that any message has mentioned. Bounded: excess
 * events are dropped and detected as missing later. Safe to share.
 */
final class Inbox {
    /** The position of a message that has none. */
    static final long ANYWHERE = Long.MAX_VALUE;

    private static final int MOST = 10_000;
    private static final long MOST_CHARACTERS = 8 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stirred = lock.newCondition();
    private final Deque<LogEvent> events = new ArrayDeque<>();
    private long characters;
    private long hint;
    private boolean nudged;

    /** @param nudged whether the log must be read now */
    record Mail(List<LogEvent> events, long hint, boolean nudged) {}

    /** Adds a trusted event. */
    void put(LogEvent event) {
        lock.lock();
        try {
            long size = event.payload().length() + event.headers().length();
            if (events.size() < MOST && characters + size <= MOST_CHARACTERS) {
                events.addLast(event);
                characters += size;
            }
            hint = Math.max(hint, event.position());
            stirred.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** A message claims that there is an event at this position. */
    void hint(long position) {
        lock.lock();
        try {
            hint = Math.max(hint, position);
            stirred.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void nudge() {
        lock.lock();
        try {
            nudged = true;
            stirred.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes all messages; waits for one if there is none. */
    Mail take(Duration most) throws InterruptedException {
        lock.lock();
        try {
            long left = most.toNanos();
            while (events.isEmpty() && hint == 0 && !nudged && left > 0) {
                left = stirred.awaitNanos(left);
            }
            Mail mail = new Mail(new ArrayList<>(events), hint, nudged);
            events.clear();
            characters = 0;
            hint = 0;
            nudged = false;
            return mail;
        } finally {
            lock.unlock();
        }
    }
}
