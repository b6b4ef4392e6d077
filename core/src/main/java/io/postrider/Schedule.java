package io.postrider;

import io.postrider.work.Cron;

/**
 * A job that is made by the clock: one for each tick, on however many nodes. Immutable. If no node ran when ticks were due, one
 * job is made for all of them.
 *
 * @param name what it is called; setting it again changes it
 * @param cron five fields: minute, hour, day of month, month, day of week
 * @param zone whose local time that is
 */
public record Schedule(String name, String queue, String type, String payload, String cron, String zone) {
    /** Refuses what could never tick, with the field that is wrong. */
    public Schedule {
        Refuse.unlessName("schedule", Refuse.missing("schedule", name));
        Refuse.unlessQueue("queue", Refuse.missing("queue", queue));
        Refuse.unlessType("type", Refuse.missing("type", type));
        Json.refuseUnlessJson("payload", Refuse.missing("payload", payload));
        Cron.of(Refuse.missing("cron", cron), Refuse.missing("zone", zone));
    }

    /** A schedule in UTC, with an empty object as payload. */
    public static Schedule of(String name, String cron, String queue, String type) {
        return new Schedule(name, queue, type, "{}", cron, "UTC");
    }

    /** The same in the local time of a zone, such as {@code Europe/Berlin}: see {@link Cron} for when clocks change. */
    public Schedule withZone(String newZone) {
        return new Schedule(name, queue, type, payload, cron, newZone);
    }

    /** The same with a payload. */
    public Schedule withPayload(String newPayload) {
        return new Schedule(name, queue, type, newPayload, cron, zone);
    }
}
