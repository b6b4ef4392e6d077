package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.admin.Log;
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
    public Page page(Identity who, Set<Room> rooms, Stretch stretch) {
        pages.incrementAndGet();
        List<LogEvent> found = new ArrayList<>();
        long at = stretch.after();
        long bytes = 0;
        while (at < stretch.upto()) {
            for (LogEvent event : log.read(stretch.topic(), at, (int) Math.min(500, stretch.upto() - at))) {
                at = event.position();
                if (who.mayRead(event) && rooms.stream().anyMatch(room -> room.holds(event))) {
                    found.add(event);
                    bytes += event.payload().length();
                    if (found.size() == stretch.most() || bytes >= stretch.bytes()) {
                        return new Page(found, at);
                    }
                }
            }
        }
        return new Page(found, at);
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
