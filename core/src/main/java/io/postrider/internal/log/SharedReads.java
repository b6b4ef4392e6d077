package io.postrider.internal.log;

import io.postrider.LogEvent;
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
 * The recent reads of the listeners of this node. Listeners of one topic are mostly at the same position, so they read it once
 * instead of reading it separately. Reading is two thirds of the load of a listener on the database.
 *
 * <p>The reads of a topic are kept while it has two or more listeners here, at most {@link #KEPT} reads and {@link #BYTES} in total:
 * enough for listeners that work through a backlog side by side, not a cache of the log. They are dropped with the node's
 * connection: afterwards another server may have given the same positions to other events. Thread-safe.
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
    private record Kept(String topic, LogRange range, long bytes) {}

    private static final class Topic {
        final Map<Long, CompletableFuture<@Nullable LogRange>> underWay = new HashMap<>();
        int listeners;
    }

    /** Adds a listener. */
    void join(String topic) {
        lock.lock();
        try {
            topics.computeIfAbsent(topic, t -> new Topic()).listeners++;
        } finally {
            lock.unlock();
        }
    }

    /** The events of a range: from a recent read in this era and on this connection, or from the database. */
    LogRange read(LogReader.Request request, int current, int era, Supplier<LogRange> database) {
        CompletableFuture<@Nullable LogRange> mine = new CompletableFuture<>();
        CompletableFuture<@Nullable LogRange> others;
        boolean alone;
        lock.lock();
        try {
            if (current != connection) {
                connection = current;
                kept.clear();
                bytes = 0;
            }
            Topic shared = topics.get(request.topic());
            alone = current == 0 || shared == null || shared.listeners < 2;
            for (Kept one : kept) {
                if (one.topic().equals(request.topic())
                        && one.range().era() == era
                        && holds(one.range(), request.after())) {
                    return part(one.range(), request);
                }
            }
            others = alone || shared == null ? null : shared.underWay.putIfAbsent(request.after(), mine);
        } finally {
            lock.unlock();
        }
        if (alone) {
            return database.get();
        }
        return others == null ? readFor(request, mine, current, database) : await(others, request, database);
    }

    private LogRange readFor(
            LogReader.Request request,
            CompletableFuture<@Nullable LogRange> waiting,
            int began,
            Supplier<LogRange> database) {
        LogRange range = null;
        try {
            range = database.get();
            return range;
        } finally {
            lock.lock();
            try {
                topics.getOrDefault(request.topic(), new Topic()).underWay.remove(request.after());
                if (range != null && began == connection) {
                    keep(request.topic(), range);
                }
            } finally {
                lock.unlock();
            }
            waiting.complete(range);
        }
    }

    private void keep(String topic, LogRange range) {
        long size = 0;
        for (LogEvent event : range.events()) {
            size += event.payload().length() + event.headers().length();
        }
        if (range.isEmpty() || size > BYTES) {
            return;
        }
        kept.addFirst(new Kept(topic, range, size));
        bytes += size;
        while (kept.size() > KEPT || bytes > BYTES) {
            bytes -= kept.removeLast().bytes();
        }
    }

    /** Another listener is reading the same positions. If its read fails or is empty, this one reads itself. */
    private static LogRange await(
            CompletableFuture<@Nullable LogRange> others, LogReader.Request request, Supplier<LogRange> database) {
        try {
            LogRange read = others.get();
            return read == null || read.isEmpty() ? database.get() : part(read, request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return database.get();
        } catch (ExecutionException e) {
            return database.get();
        }
    }

    private static boolean holds(LogRange range, long after) {
        return range.after() <= after && after < range.to();
    }

    /** Positions are dense: the event at a position is found by counting. */
    private static LogRange part(LogRange whole, LogReader.Request request) {
        long to = Math.min(Math.min(request.upto(), whole.to()), request.after() + request.most());
        int from = (int) (request.after() - whole.after());
        List<LogEvent> events = whole.events().subList(from, (int) (to - whole.after()));
        return new LogRange(request.after(), to, whole.era(), events);
    }
}
