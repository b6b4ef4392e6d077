package io.postrider;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker on one queue: the job types that it handles, their handlers, and how many jobs run at the same time. Immutable: each
 * {@code with…} and {@code handling…} method returns a changed copy. A value outside its limits is refused with a
 * {@link PostriderException} that names it.
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
     * How jobs of one type are run.
     *
     * @param timeout null: none
     */
    public record Kind(
            JobHandler handler, RetryPolicy retry, @Nullable Duration timeout) {}

    /** Creates a worker on this queue, with 16 slots and no handlers. */
    public static Worker on(String queue) {
        return new Worker(Refuse.missing("queue", queue), 16, Map.of(), null);
    }

    /** Adds a handler for this type, which runs outside any transaction. */
    public Worker handling(String type, JobHandler.Plain handler) {
        return with(type, new Kind(Refuse.missing("handler", handler), RetryPolicy.defaults(), null));
    }

    /** Adds a handler for this type, which runs in the transaction in which the job is settled. */
    public Worker handlingInTransaction(String type, JobHandler.Transactional handler) {
        return with(type, new Kind(Refuse.missing("handler", handler), RetryPolicy.defaults(), null));
    }

    /** Sets the mapper that converts payloads to objects, for handlers that are added after this call. */
    public Worker withMapper(PayloadMapper newMapper) {
        return new Worker(queue, slots, kinds, Refuse.missing("mapper", newMapper));
    }

    /**
     * Adds a handler that receives the payload as an object. A job whose payload cannot be converted becomes a dead letter at
     * once. Needs {@link #withMapper} first.
     */
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

    /** The same for a handler that runs in the transaction in which the job is settled. */
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
                            + " needs a mapper; call withMapper() first");
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

    /** Sets the retry policy of a type that has a handler. Default: {@link RetryPolicy#defaults}, about a day. */
    public Worker withRetry(String type, RetryPolicy retry) {
        Kind kind = known(type);
        return with(type, new Kind(kind.handler(), Refuse.missing("retry", retry), kind.timeout()));
    }

    /** Sets the time after which a job of this type is interrupted and counts as failed. 1 ms..365 days, default: none. */
    public Worker withTimeout(String type, Duration timeout) {
        Refuse.outside("timeout", timeout, Duration.ofMillis(1), Duration.ofDays(365));
        Kind kind = known(type);
        return with(type, new Kind(kind.handler(), kind.retry(), timeout));
    }

    /** Sets how many jobs this node runs at the same time on this queue. 1..10,000, default 16. */
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
                    "type " + Refuse.shortened(type) + " has no handler yet; call handling() first");
        }
        return kind;
    }

    /** The queue. */
    public String queue() {
        return queue;
    }

    /** How many jobs run at the same time. */
    public int slots() {
        return slots;
    }

    /** How jobs of this type are run; null if the worker has no handler for it. */
    public @Nullable Kind kind(String type) {
        return kinds.get(type);
    }

    /** The types that it handles. */
    public Set<String> types() {
        return kinds.keySet();
    }

    @Override
    public String toString() {
        return "queue=" + queue + " slots=" + slots + " types=" + kinds.keySet();
    }
}
