package io.postrider;

/**
 * Enqueues a job at each tick of a cron expression: one job per tick, however many nodes run. If no node was running when ticks
 * were due, one job is enqueued for all of them. Immutable.
 *
 * @param name identifies the schedule; setting it again changes the schedule
 * @param cron five fields: minute, hour, day of month, month, day of week
 * @param zone the time zone of the cron expression, such as {@code Europe/Berlin}
 */
public record Schedule(String name, String queue, String type, String payload, String cron, String zone) {
    /**
     * Refuses malformed names, an invalid payload, and a cron expression that is malformed or never matches, naming the field.
     */
    public Schedule {
        Refuse.unlessName("schedule", Refuse.missing("schedule", name));
        Refuse.unlessQueue("queue", Refuse.missing("queue", queue));
        Refuse.unlessType("type", Refuse.missing("type", type));
        Json.refuseUnlessJson("payload", Refuse.missing("payload", payload));
        Cron.of(Refuse.missing("cron", cron), Refuse.missing("zone", zone));
    }

    /** Creates a schedule in UTC, with an empty object as payload. */
    public static Schedule of(String name, String cron, String queue, String type) {
        return new Schedule(name, queue, type, "{}", cron, "UTC");
    }

    /**
     * Returns the same schedule in another time zone, such as {@code Europe/Berlin}. See {@link Cron} for changes to and from
     * summer time.
     */
    public Schedule withZone(String newZone) {
        return new Schedule(name, queue, type, payload, cron, newZone);
    }

    /** Returns the same schedule with this payload, which is JSON text. */
    public Schedule withPayload(String newPayload) {
        return new Schedule(name, queue, type, newPayload, cron, zone);
    }
}
