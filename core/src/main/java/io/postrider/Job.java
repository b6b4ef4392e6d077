package io.postrider;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued. Immutable and thread-safe. A job is stored as an event, so the size limits of {@link Event} apply to it.
 *
 * @param event the content of the job. Its topic is the lane of the queue (one topic for each priority), its id is the job's id
 * @param queue the queue it goes to
 * @param priority selects its lane
 * @param runAt the job does not run before this time, by the database's clock; null: it can run at once
 * @param unique the key that no other unfinished job of the same queue and project may have; null: none
 */
public record Job(
        Event event,
        String queue,
        Priority priority,
        @Nullable Instant runAt,
        @Nullable Unique unique) {

    /** A year of five digits is a mistake in units, not an intention. */
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /**
     * A unique key: while one job holds it, no other job with the same key is enqueued.
     *
     * @param key the key, unique in its queue and project; 1..1,024 bytes
     * @param period null: the job holds the key until it is finished. Otherwise it holds the key for this time after it was
     *     enqueued, whether it is finished or not
     */
    public record Unique(String key, @Nullable Duration period) {
        /** Refuses an empty key and a period outside 1 ms..36,500 days. */
        public Unique {
            if (key.isEmpty()) {
                throw PostriderException.refused("unique key must have at least one character, was ''");
            }
            Event.refuseReference("unique key", key);
            if (period != null) {
                Refuse.outside("unique period", period, Duration.ofMillis(1), Duration.ofDays(36_500));
            }
        }
    }

    /** Refuses a time outside the years 1 to 9999. */
    public Job {
        Refuse.missing("event", event);
        if (runAt != null && (runAt.isAfter(LATEST) || runAt.isBefore(EARLIEST))) {
            throw PostriderException.refused(
                    "run at must be from the year 1 on and before the year 10000, was " + runAt);
        }
    }

    /** Creates a job with a new id and only the required fields: normal priority, to run at once, without a unique key. */
    public static Job of(String queue, String type, String payload) {
        Event event = Event.of(topicOf(queue, Priority.NORMAL), type, payload).withId(newId());
        return new Job(event, queue, Priority.NORMAL, null, null);
    }

    /** Begins with the time (UUID version 7), as in new_job_id.sql and for the same reason. */
    private static UUID newId() {
        UUID random = UUID.randomUUID();
        long high = System.currentTimeMillis() << 16 | 0x7000 | random.getMostSignificantBits() & 0x0FFF;
        return new UUID(high, random.getLeastSignificantBits());
    }

    /** Returns the topic in which jobs of this queue and priority are stored. */
    public static String topicOf(String queue, Priority priority) {
        Refuse.unlessQueue("queue", Refuse.missing("queue", queue));
        return switch (priority) {
            case HIGH -> "queue:" + queue + ":high";
            case NORMAL -> "queue:" + queue;
            case LOW -> "queue:" + queue + ":low";
        };
    }

    /** Returns the priority of the jobs that are stored in this topic. */
    public static Priority priorityOf(String topic) {
        if (topic.endsWith(":high")) {
            return Priority.HIGH;
        }
        return topic.endsWith(":low") ? Priority.LOW : Priority.NORMAL;
    }

    /** Returns the same job with this id. */
    public Job withId(UUID id) {
        return new Job(event.withId(id), queue, priority, runAt, unique);
    }

    /** Returns the same job, which does not run before this time; null: it can run at once. */
    public Job withRunAt(@Nullable Instant time) {
        return new Job(event, queue, priority, time, unique);
    }

    /** Returns the same job with this key. A queue can limit how many jobs of one key run at the same time. */
    public Job withKey(@Nullable String key) {
        return new Job(event.withKey(key), queue, priority, runAt, unique);
    }

    /** Returns the same job with this priority. */
    public Job withPriority(Priority newPriority) {
        Event moved = new Event(
                event.id(),
                topicOf(queue, Refuse.missing("priority", newPriority)),
                event.type(),
                event.payload(),
                event.key(),
                event.projectId(),
                event.userId(),
                event.aggregateType(),
                event.aggregateId(),
                event.headers());
        return new Job(moved, queue, newPriority, runAt, unique);
    }

    /** Returns the same job with this unique key: until the job is finished, no other job with the key is enqueued. */
    public Job withUnique(String key) {
        return new Job(event, queue, priority, runAt, new Unique(key, null));
    }

    /** Returns the same job with this unique key: for this period, no other job with the key is enqueued. */
    public Job withUnique(String key, Duration period) {
        return new Job(event, queue, priority, runAt, new Unique(key, period));
    }

    /** Returns the same job with this project; null: none. */
    public Job withProject(@Nullable String projectId) {
        return new Job(event.withProject(projectId), queue, priority, runAt, unique);
    }

    /** Returns the same job with this user; null: none. */
    public Job withUser(@Nullable String userId) {
        return new Job(event.withUser(userId), queue, priority, runAt, unique);
    }

    /** Returns the same job with these headers, each a string. */
    public Job withHeaders(Map<String, String> headers) {
        return new Job(event.withHeaders(headers), queue, priority, runAt, unique);
    }
}
