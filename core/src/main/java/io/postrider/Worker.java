package io.postrider;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Work on one queue: which types of jobs this node knows, how it does them, and how many at once. Immutable: each {@code
 * with…} gives a changed copy, and refuses bad values by name.
 */
public final class Worker {
    private final String queue;
    private final int slots;
    private final Map<String, Kind> kinds;
    private final @Nullable PayloadMapper mapper;

    private Worker(String queue, int slots, Map<String, Kind> kinds, @Nullable PayloadMapper mapper) {
        this.queue = Refuse.unlessQueue("queue", queue);
        this.slots = Refuse.outside("slots", slots, 1, 10_000);
        this.kinds = kinds;
        this.mapper = mapper;
    }

    /**
     * One type of job: how it is done.
     *
     * @param timeout null: it may take as long as it takes
     */
    public record Kind(
            JobHandler handler, RetryPolicy retry, @Nullable Duration timeout) {}

    /** For jobs of this queue: 16 at once, no type known yet. */
    public static Worker on(String queue) {
        return new Worker(Refuse.missing("queue", queue), 16, Map.of(), null);
    }

    /** Knows this type, does it outside any transaction. */
    public Worker handling(String type, JobHandler.Plain handler) {
        return with(type, new Kind(Refuse.missing("handler", handler), RetryPolicy.defaults(), null));
    }

    /** Knows this type, does it in the transaction in which it is settled. */
    public Worker handlingInTransaction(String type, JobHandler.Transactional handler) {
        return with(type, new Kind(Refuse.missing("handler", handler), RetryPolicy.defaults(), null));
    }

    /** By which payloads become objects, for the handlers that are added after it. */
    public Worker withMapper(PayloadMapper newMapper) {
        return new Worker(queue, slots, kinds, Refuse.missing("mapper", newMapper));
    }

    /** Knows this type, with its payload as an object. One whose payload cannot be read is dead at once. */
    public <T> Worker handling(String type, Class<T> payload, JobHandler.Typed<T> handler) {
        Refuse.missing("handler", handler);
        Reading<T> reading = reading(payload);
        return handling(type, job -> {
            T read;
            try {
                read = reading.read(job);
            } catch (Exception e) {
                return reading.unreadable(e);
            }
            return handler.handle(read, job);
        });
    }

    /** The same in the transaction in which it is settled. */
    public <T> Worker handlingInTransaction(String type, Class<T> payload, JobHandler.TypedTransactional<T> handler) {
        Refuse.missing("handler", handler);
        Reading<T> reading = reading(payload);
        return handlingInTransaction(type, (connection, job) -> {
            T read;
            try {
                read = reading.read(job);
            } catch (Exception e) {
                return reading.unreadable(e);
            }
            return handler.handle(connection, read, job);
        });
    }

    private <T> Reading<T> reading(Class<T> payload) {
        if (mapper == null) {
            throw PostriderException.refused(
                    "a payload as " + Refuse.missing("payload class", payload).getSimpleName()
                            + " needs a mapper; say withMapper() first");
        }
        return new Reading<>(mapper, Refuse.missing("payload class", payload));
    }

    private record Reading<T>(PayloadMapper mapper, Class<T> type) {
        T read(ClaimedJob job) throws Exception {
            return mapper.read(job.payload(), type);
        }

        Fate unreadable(Exception e) {
            return Fate.dead("the payload cannot be read as " + type.getSimpleName() + ": " + e.getMessage());
        }
    }

    /** The retry policy of a type that it handles. Default: {@link RetryPolicy#defaults}, about a day. */
    public Worker withRetry(String type, RetryPolicy retry) {
        Kind kind = known(type);
        return with(type, new Kind(kind.handler(), Refuse.missing("retry", retry), kind.timeout()));
    }

    /** After how long a job of this type is interrupted and has failed. Default: never. */
    public Worker withTimeout(String type, Duration timeout) {
        Refuse.outside("timeout", timeout, Duration.ofMillis(1), Duration.ofDays(365));
        Kind kind = known(type);
        return with(type, new Kind(kind.handler(), kind.retry(), timeout));
    }

    /** How many jobs at once on this node. Default 16. */
    public Worker withSlots(int newSlots) {
        return new Worker(queue, newSlots, kinds, mapper);
    }

    private Worker with(String type, Kind kind) {
        Refuse.unlessType("type", Refuse.missing("type", type));
        Map<String, Kind> more = new LinkedHashMap<>(kinds);
        more.put(type, kind);
        return new Worker(queue, slots, Map.copyOf(more), mapper);
    }

    private Kind known(String type) {
        Kind kind = kinds.get(Refuse.missing("type", type));
        if (kind == null) {
            throw PostriderException.refused(
                    "type " + Refuse.shortened(type) + " has no handler yet; say handling() first");
        }
        return kind;
    }

    /** The queue. */
    public String queue() {
        return queue;
    }

    /** How many jobs at once. */
    public int slots() {
        return slots;
    }

    /** How a type is done; null if this worker does not know it. */
    public @Nullable Kind kind(String type) {
        return kinds.get(type);
    }

    /** The types it knows. */
    public Set<String> types() {
        return kinds.keySet();
    }

    @Override
    public String toString() {
        return "queue=" + queue + " slots=" + slots + " types=" + kinds.keySet();
    }
}
