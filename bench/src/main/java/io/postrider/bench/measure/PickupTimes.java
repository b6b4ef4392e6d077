package io.postrider.bench.measure;

import io.postrider.bench.jobs.PostriderJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/** When the jobs of one turn were committed and when their handlers began, recorded in one process. Safe to share. */
public final class PickupTimes {
    private final long tag = System.nanoTime();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLongArray committed;
    private final AtomicLongArray began;

    public PickupTimes(int jobs) {
        this.committed = new AtomicLongArray(jobs);
        this.began = new AtomicLongArray(jobs);
    }

    /** Enqueues and commits the next few. */
    public void produce(Connection connection, PostriderJobs queue, int few) throws SQLException {
        int from = next.getAndAdd(few);
        List<UUID> ids = LongStream.range(from, from + few)
                .mapToObj(i -> new UUID(tag, i))
                .toList();
        queue.enqueueAll(connection, ids);
        connection.commit();
        long now = System.nanoTime();
        for (int i = from; i < from + few; i++) {
            committed.set(i, now);
        }
    }

    /** The handler's first instruction. Jobs of another turn and second attempts are ignored. */
    public void began(UUID id) {
        long now = System.nanoTime();
        if (id.getMostSignificantBits() == tag) {
            began.compareAndSet((int) id.getLeastSignificantBits(), 0, now);
        }
    }

    /** Returns when all of them are done. */
    public Latency latency() {
        return Latency.join(copy(committed), copy(began), 0, 0);
    }

    private static long[] copy(AtomicLongArray times) {
        long[] copy = new long[times.length()];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = times.get(i);
        }
        return copy;
    }
}
