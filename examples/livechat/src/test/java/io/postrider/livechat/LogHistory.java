package io.postrider.livechat;

import io.postrider.LogEvent;
import io.postrider.gateway.History;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Room;
import io.postrider.log.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What is old, from the log itself: enough for a chat of a test. */
record LogHistory(Log log) implements History {
    @Override
    public List<LogEvent> page(Identity who, Set<Room> rooms, String topic, long after, long upto, int most) {
        List<LogEvent> page = new ArrayList<>();
        long at = after;
        while (at < upto && page.size() < most) {
            List<LogEvent> read = log.read(topic, at, 500);
            if (read.isEmpty()) {
                break;
            }
            for (LogEvent event : read) {
                if (event.position() <= upto
                        && page.size() < most
                        && who.mayRead(event)
                        && rooms.stream().anyMatch(room -> room.holds(event))) {
                    page.add(event);
                }
            }
            at = read.get(read.size() - 1).position();
        }
        return page;
    }

    @Override
    public long oldest(String topic) {
        return log.oldest(topic);
    }

    @Override
    public long reached(String topic) {
        return log.head(topic);
    }
}
