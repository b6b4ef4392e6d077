package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.log.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The log itself as a read model: what a gateway without one could use, slow for quiet rooms. */
final class LogHistory implements History {
    final AtomicInteger pages = new AtomicInteger();

    /** Behind the log by so much, and without what is older: as a read model would be. */
    volatile long reachedAtMost = Long.MAX_VALUE;

    volatile long oldestAtLeast;

    private final Log log;

    LogHistory(Log log) {
        this.log = log;
    }

    @Override
    public List<LogEvent> page(Identity who, Set<Room> rooms, String topic, long after, long upto, int most) {
        pages.incrementAndGet();
        List<LogEvent> found = new ArrayList<>();
        long at = after;
        while (at < upto && found.size() < most) {
            for (LogEvent event : log.read(topic, at, 500)) {
                at = event.position();
                boolean mine = who.mayRead(event) && rooms.stream().anyMatch(room -> room.holds(event));
                if (mine && at <= upto && found.size() < most) {
                    found.add(event);
                }
            }
        }
        return found;
    }

    @Override
    public long oldest(String topic) {
        return Math.max(oldestAtLeast, log.oldest(topic));
    }

    @Override
    public long reached(String topic) {
        return Math.min(reachedAtMost, log.head(topic));
    }
}
