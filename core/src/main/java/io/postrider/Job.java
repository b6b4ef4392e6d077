package io.postrider;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued: immutable, safe to share among threads. It is an event on its queue, with the rules of an event.
 *
 * @param event what it is: its topic is the lane of the queue, its id is the job's id
 * @param queue the queue it goes to
 * @param priority its lane
 * @param runAt not before this time, by the database's clock; null: at once
 * @param unique the key that no other unfinished job of the queue may have; null: none
 */
public record Job(
        Event event,
        String queue,
        Priority priority,
        @Nullable Instant runAt,
        @Nullable Unique unique) {

    /** A time stamp of five digits is a mistake in units, not a plan. */
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /**
     * While one job holds the key, another one with it is not enqueued.
     *
     * @param key what may be there once
     * @param period null: until the job is finished. Else for this long from when it was enqueued, finished or not
     */
    public record Unique(String key, @Nullable Duration period) {
        /** Refuses an empty key and a period that has no length. */
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

    /** Refuses what the database would refuse. */
    public Job {
        Refuse.missing("event", event);
        if (runAt != null && (runAt.isAfter(LATEST) || runAt.isBefore(EARLIEST))) {
            throw PostriderException.refused("run at must be after the year 0 and before the year 10000, was " + runAt);
        }
    }

    /** A job with a new id and nothing but what it must have. */
    public static Job of(String queue, String type, String payload) {
        Event event = Event.of(topicOf(queue, Priority.NORMAL), type, payload).withId(newId());
        return new Job(event, queue, Priority.NORMAL, null, null);
    }

    /** Begins with the time (version 7), as new_job_id.sql does and for its reason. */
    private static UUID newId() {
        UUID random = UUID.randomUUID();
        long high = System.currentTimeMillis() << 16 | 0x7000 | random.getMostSignificantBits() & 0x0FFF;
        return new UUID(high, random.getLeastSignificantBits());
    }

    /** The topic that is the lane of a queue for a priority. */
    public static String topicOf(String queue, Priority priority) {
        Refuse.unlessQueue("queue", Refuse.missing("queue", queue));
        return switch (priority) {
            case HIGH -> "queue:" + queue + ":high";
            case NORMAL -> "queue:" + queue;
            case LOW -> "queue:" + queue + ":low";
        };
    }

    /** The priority whose lane a topic is. */
    public static Priority priorityOf(String topic) {
        if (topic.endsWith(":high")) {
            return Priority.HIGH;
        }
        return topic.endsWith(":low") ? Priority.LOW : Priority.NORMAL;
    }

    /** The same job with a given id. */
    public Job withId(UUID id) {
        return new Job(event.withId(id), queue, priority, runAt, unique);
    }

    /** The same job, not before a time. */
    public Job withRunAt(@Nullable Instant time) {
        return new Job(event, queue, priority, time, unique);
    }

    /** The same job with a key: a queue may limit how many of one key run at once. */
    public Job withKey(@Nullable String key) {
        return new Job(event.withKey(key), queue, priority, runAt, unique);
    }

    /** The same job in another lane. */
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

    /** The same job; while it is not finished, no other one with this key is enqueued. */
    public Job withUnique(String key) {
        return new Job(event, queue, priority, runAt, new Unique(key, null));
    }

    /** The same job; for so long, no other one with this key is enqueued. */
    public Job withUnique(String key, Duration period) {
        return new Job(event, queue, priority, runAt, new Unique(key, period));
    }

    /** The same job for a project. */
    public Job withProject(@Nullable String projectId) {
        return new Job(event.withProject(projectId), queue, priority, runAt, unique);
    }

    /** The same job for a user. */
    public Job withUser(@Nullable String userId) {
        return new Job(event.withUser(userId), queue, priority, runAt, unique);
    }

    /** The same job with headers. */
    public Job withHeaders(Map<String, String> headers) {
        return new Job(event.withHeaders(headers), queue, priority, runAt, unique);
    }
}
