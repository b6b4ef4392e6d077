package io.postrider.server;

import io.postrider.LogEvent;
import io.postrider.Reach;
import io.postrider.gateway.History;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Room;
import io.postrider.history.EventLog;
import io.postrider.history.Page;
import io.postrider.history.Rooms;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the gateway has not in memory, out of the event log: in the rooms, and in reach, by the database's own policies. */
final class EventLogHistory implements History {
    private final EventLog eventLog;

    EventLogHistory(EventLog eventLog) {
        this.eventLog = eventLog;
    }

    /** A page of the event log ends early where payloads are large; here fewer than asked for means that there are no more. */
    @Override
    public List<LogEvent> page(Identity who, Set<Room> rooms, String topic, long after, long upto, int most) {
        List<LogEvent> events = new ArrayList<>();
        long from = after;
        while (from < upto && events.size() < most) {
            Page page =
                    eventLog.page(reach(who), rooms(rooms), new EventLog.Span(topic, from, upto), most - events.size());
            events.addAll(page.events());
            from = page.to();
        }
        return events;
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
}
