package io.postrider.log;

import io.postrider.LogEvent;
import io.postrider.log.LogReader.Stretch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the listeners of this node have read lately, so that those of one topic, which mostly stand at the same place, read
 * it once and not each for itself. Reading is two thirds of what a listener costs the database.
 *
 * <p>A topic's reads are kept while it has two listeners or more here, at most {@link #KEPT} of them and {@link #BYTES}
 * together: a backlog that they ride through side by side, not a cache of the log. Forgotten with the wire's connection:
 * after it, another server may have given the same positions to other events. Safe to share.
 */
final class SharedReads {
    private static final int KEPT = 16;
    private static final long BYTES = 4 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Topic> topics = new HashMap<>();
    private final Deque<Kept> kept = new ArrayDeque<>();
    private long bytes;
    private int connection;

    /** A read that is kept. */
    private record Kept(String topic, Stretch stretch, long bytes) {}

    private static final class Topic {
        final Map<Long, CompletableFuture<@Nullable Stretch>> underWay = new HashMap<>();
        int listeners;
    }

    /** One listener more. */
    void join(String topic) {
        lock.lock();
        try {
            topics.computeIfAbsent(topic, t -> new Topic()).listeners++;
        } finally {
            lock.unlock();
        }
    }

    /** The events of a range: as somebody has read them lately in this era and connection of the wire, or read now. */
    Stretch read(LogReader.Range range, int current, int era, Supplier<Stretch> database) {
        CompletableFuture<@Nullable Stretch> mine = new CompletableFuture<>();
        CompletableFuture<@Nullable Stretch> others;
        boolean alone;
        lock.lock();
        try {
            if (current != connection) {
                connection = current;
                kept.clear();
                bytes = 0;
            }
            Topic shared = topics.get(range.topic());
            alone = current == 0 || shared == null || shared.listeners < 2;
            for (Kept one : kept) {
                if (one.topic().equals(range.topic())
                        && one.stretch().era() == era
                        && holds(one.stretch(), range.after())) {
                    return part(one.stretch(), range);
                }
            }
            others = alone || shared == null ? null : shared.underWay.putIfAbsent(range.after(), mine);
        } finally {
            lock.unlock();
        }
        if (alone) {
            return database.get();
        }
        return others == null ? readFor(range, mine, current, database) : await(others, range, database);
    }

    private Stretch readFor(
            LogReader.Range range,
            CompletableFuture<@Nullable Stretch> waiting,
            int began,
            Supplier<Stretch> database) {
        Stretch stretch = null;
        try {
            stretch = database.get();
            return stretch;
        } finally {
            lock.lock();
            try {
                topics.getOrDefault(range.topic(), new Topic()).underWay.remove(range.after());
                if (stretch != null && began == connection) {
                    keep(range.topic(), stretch);
                }
            } finally {
                lock.unlock();
            }
            waiting.complete(stretch);
        }
    }

    private void keep(String topic, Stretch stretch) {
        long size = 0;
        for (LogEvent event : stretch.events()) {
            size += event.payload().length() + event.headers().length();
        }
        if (stretch.isEmpty() || size > BYTES) {
            return;
        }
        kept.addFirst(new Kept(topic, stretch, size));
        bytes += size;
        while (kept.size() > KEPT || bytes > BYTES) {
            bytes -= kept.removeLast().bytes();
        }
    }

    /** Somebody is at the same place and reads already. If that fails, or is of no use to us, we read ourselves. */
    private static Stretch await(
            CompletableFuture<@Nullable Stretch> others, LogReader.Range range, Supplier<Stretch> database) {
        try {
            Stretch read = others.get();
            return read == null || read.isEmpty() ? database.get() : part(read, range);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return database.get();
        } catch (ExecutionException e) {
            return database.get();
        }
    }

    private static boolean holds(Stretch stretch, long after) {
        return stretch.after() <= after && after < stretch.to();
    }

    /** Positions are dense: the event at a position is found by counting. */
    private static Stretch part(Stretch whole, LogReader.Range range) {
        long to = Math.min(Math.min(range.upto(), whole.to()), range.after() + range.most());
        int from = (int) (range.after() - whole.after());
        List<LogEvent> events = whole.events().subList(from, (int) (to - whole.after()));
        return new Stretch(range.after(), to, whole.era(), events);
    }
}
