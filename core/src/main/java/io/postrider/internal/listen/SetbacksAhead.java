package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The setbacks that the cursor has not passed. The first of them blocks the listener when the cursor is right before it. */
final class SetbacksAhead {
    private final TreeMap<Long, Setback> byPosition = new TreeMap<>();

    /** @param due when it may be tried again */
    record Setback(long position, UUID event, int attempt, Deadline due) {
        Duration untilDue() {
            return Duration.ofNanos(Math.max(0, due.nanosLeft()));
        }
    }

    @Nullable
    Setback first() {
        return byPosition.isEmpty() ? null : byPosition.firstEntry().getValue();
    }

    void replace(List<Setback> setbacks) {
        byPosition.clear();
        setbacks.forEach(setback -> byPosition.put(setback.position(), setback));
    }

    void add(LogEvent event, int attempt, Duration wait) {
        byPosition.put(event.position(), new Setback(event.position(), event.id(), attempt, Deadline.in(wait)));
    }

    /** The cursor is here now. */
    void passed(long position) {
        byPosition.headMap(position, true).clear();
    }
}
