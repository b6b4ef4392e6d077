package io.postrider.gateway;

import io.postrider.LogEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A log of one topic in memory: feed and read model of a hub without a database. The read model lags by {@code lag}. */
final class MemoryLog implements Feed, History {
    static final String TOPIC = "storm";

    private final List<LogEvent> events = new ArrayList<>();
    private final ConcurrentHashMap<String, Receiver> receivers = new ConcurrentHashMap<>();
    volatile int lag;
    volatile long oldest = 1;
    volatile boolean failing;
    final AtomicInteger failures = new AtomicInteger();
    final AtomicInteger pages = new AtomicInteger();

    static LogEvent event(long position, String project, String user) {
        return new LogEvent(
                TOPIC,
                position,
                new UUID(1, position),
                "said",
                "{\"n\":" + position + "}",
                null,
                project,
                user,
                null,
                null,
                "{}",
                Instant.EPOCH);
    }

    /** Appends, and hands to the hub. By one thread. */
    void append(List<LogEvent> more) throws InterruptedException {
        synchronized (events) {
            events.addAll(more);
        }
        for (Receiver receiver : receivers.values()) {
            receiver.events(more);
        }
    }

    /** Appends without telling: as a feed that is behind. */
    void appendQuietly(List<LogEvent> more) {
        synchronized (events) {
            events.addAll(more);
        }
    }

    /** Hands to the hub without appending. */
    void hand(List<LogEvent> more) throws InterruptedException {
        for (Receiver receiver : receivers.values()) {
            receiver.events(more);
        }
    }

    /** Cut back to a head, as by a failover to a standby that lacked the end. */
    void change(long head) throws InterruptedException {
        synchronized (events) {
            events.subList((int) head, events.size()).clear();
        }
        for (Receiver receiver : receivers.values()) {
            receiver.changed(head);
        }
    }

    /** As a feed that has lost its place. */
    void beginAgain() throws InterruptedException {
        for (Receiver receiver : receivers.values()) {
            receiver.begins(head(TOPIC), List.of());
        }
    }

    List<LogEvent> between(long after, long upto) {
        synchronized (events) {
            return List.copyOf(events.subList((int) after, (int) upto));
        }
    }

    @Override
    public void follow(String topic, int recent, Receiver receiver) {
        receivers.put(topic, receiver);
        try {
            long head = head(topic);
            receiver.begins(head, between(Math.max(0, head - recent), head));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long head(String topic) {
        synchronized (events) {
            return events.size();
        }
    }

    @Override
    public void close() {
        receivers.clear();
    }

    @Override
    public Page page(Identity who, Set<Room> rooms, Stretch stretch) {
        if (failing) {
            if (failures.incrementAndGet() % 2 == 0) {
                throw new NoClassDefFoundError("the read model's classes are away");
            }
            throw new IllegalStateException("the read model is away");
        }
        pages.incrementAndGet();
        List<LogEvent> found = new ArrayList<>();
        long at = stretch.after();
        while (at < stretch.upto() && found.size() < stretch.most()) {
            LogEvent event = at(at++);
            if (who.mayRead(event) && rooms.stream().anyMatch(room -> room.holds(event))) {
                found.add(event);
            }
        }
        return new Page(found, at);
    }

    private LogEvent at(long index) {
        synchronized (events) {
            return events.get((int) index);
        }
    }

    @Override
    public long oldest(String topic) {
        return oldest;
    }

    @Override
    public long reached(String topic) {
        return Math.max(0, head(topic) - lag);
    }
}
