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
 * What has come over the channel for one topic and is not looked at yet: events that are believed, and the highest position that
 * anybody has mentioned. Bounded: what is too much is dropped, and found missing later. Safe to share.
 */
final class Inbox {
    private static final int MOST = 10_000;
    private static final long MOST_CHARACTERS = 8 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stirred = lock.newCondition();
    private final Deque<LogEvent> events = new ArrayDeque<>();
    private long characters;
    private long hint;
    private boolean nudged;

    /** @param nudged whether somebody wants a look at the log now */
    record Mail(List<LogEvent> events, long hint, boolean nudged) {}

    /** An event to be taken as it is. */
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

    /** Somebody says that there is an event at this position. */
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

    /** All that is there, and waits for something if nothing is. */
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
