package io.postrider.gateway.internal.hub;

import io.postrider.gateway.internal.limits.ConnectionLimits.Owner;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Queue of reads of the read model. Scheduling is round-robin by project and then by owner, with one running read per owner, so
 * no token can starve other projects. A subscriber has at most one read here, which is removed when it leaves: there are never
 * more reads than open connections, and closed connections are not kept in memory. Thread-safe.
 */
final class ReadQueue {
    private final Executor readers;
    private final int most;

    // Guarded by this. The first entry of each map is the next one.
    private final Map<String, Map<Owner, Map<Subscriber, Runnable>>> waiting = new LinkedHashMap<>();
    private final Set<Owner> reading = new HashSet<>();

    /** The executor of the reads, and how many it runs at once. */
    ReadQueue(Executor readers, int most) {
        this.readers = readers;
        this.most = most;
    }

    synchronized void add(Subscriber subscriber, Runnable read) {
        waiting.computeIfAbsent(project(subscriber.owner), project -> new LinkedHashMap<>())
                .computeIfAbsent(subscriber.owner, owner -> new LinkedHashMap<>())
                .put(subscriber, read);
        start();
    }

    /** Drops the read of a subscriber, unless it has started. */
    synchronized void remove(Subscriber subscriber) {
        Owner owner = subscriber.owner;
        waiting.computeIfPresent(project(owner), (project, owners) -> {
            owners.computeIfPresent(owner, (name, reads) -> {
                reads.remove(subscriber);
                return reads.isEmpty() ? null : reads;
            });
            return owners.isEmpty() ? null : owners;
        });
    }

    /** Submits only as many reads as run at once; the others stay here, where they can be removed. */
    private void start() {
        while (reading.size() < most) {
            Map.Entry<Subscriber, Runnable> next = next();
            if (next == null) {
                return;
            }
            Owner owner = next.getKey().owner;
            Runnable read = next.getValue();
            readers.execute(() -> run(owner, read)); // first, because it throws if there is no memory for a thread
            reading.add(owner);
            remove(next.getKey());
            moveToEnd(owner);
        }
    }

    private void run(Owner owner, Runnable read) {
        try {
            read.run();
        } finally {
            done(owner);
        }
    }

    private synchronized void done(Owner owner) {
        reading.remove(owner);
        start();
    }

    /** Skips owners with a running read; there are at most as many as readers. */
    private Map.@Nullable Entry<Subscriber, Runnable> next() {
        for (Map<Owner, Map<Subscriber, Runnable>> owners : waiting.values()) {
            for (Map.Entry<Owner, Map<Subscriber, Runnable>> own : owners.entrySet()) {
                if (!reading.contains(own.getKey())) {
                    return own.getValue().entrySet().iterator().next();
                }
            }
        }
        return null;
    }

    /** Moves an owner and its project to the end of the queue. */
    private void moveToEnd(Owner owner) {
        Map<Owner, Map<Subscriber, Runnable>> owners = waiting.remove(project(owner));
        if (owners != null) {
            Map<Subscriber, Runnable> reads = owners.remove(owner);
            if (reads != null) {
                owners.put(owner, reads);
            }
            waiting.put(project(owner), owners);
        }
    }

    private static String project(Owner owner) {
        return owner.project() == null ? "" : owner.project();
    }
}
