package io.postrider.gateway;

import io.postrider.Reach;
import io.postrider.admin.EventLog;
import io.postrider.admin.Rooms;
import java.util.HashSet;
import java.util.Set;

/**
 * Uses the event log as the read model of a hub. The query restricts a page to the rooms, and the database's row policies
 * restrict it to what the identity may read. A topic without its listener, {@link EventLog#listener}, is not kept. Safe to share.
 */
public final class EventLogHistory implements History {
    /** The maximum number of events in one read of the event log. */
    private static final int MOST = 1_000;

    private final EventLog eventLog;

    public EventLogHistory(EventLog eventLog) {
        this.eventLog = eventLog;
    }

    @Override
    public Page page(Identity who, Set<Room> rooms, Stretch stretch) {
        EventLog.Span span = new EventLog.Span(stretch.topic(), stretch.after(), stretch.upto());
        int most = Math.min(stretch.most(), MOST);
        io.postrider.admin.EventPage page = eventLog.page(reach(who), rooms(rooms), span, most, stretch.bytes());
        return new Page(page.events(), page.to());
    }

    private static Rooms rooms(Set<Room> rooms) {
        Set<String> projects = new HashSet<>();
        Set<String> users = new HashSet<>();
        rooms.forEach(room -> (room.kind() == Room.Kind.PROJECT ? projects : users).add(room.id()));
        return new Rooms(projects, users);
    }

    private static Reach reach(Identity who) {
        return switch (who.reach()) {
            case ALL -> Reach.all();
            case PROJECT -> Reach.project(String.valueOf(who.project()));
            case USER -> Reach.user(who.subject(), who.project());
        };
    }

    @Override
    public long oldest(String topic) {
        return eventLog.oldest(topic);
    }

    @Override
    public long reached(String topic) {
        return eventLog.reached(topic);
    }

    @Override
    public boolean keeps(String topic) {
        return eventLog.isRecorded(topic);
    }
}
