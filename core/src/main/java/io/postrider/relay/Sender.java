package io.postrider.relay;

import io.postrider.Course;
import io.postrider.LogEvent;
import io.postrider.Receipt;
import io.postrider.Sink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a relay's events to its sink, and none that is ahead of the cursor twice as long as anybody can tell. One that is tried
 * again from behind the cursor is sent without asking: how far back it lies nobody knows, and a sink is not searched for it.
 *
 * <pre>
 * IN DOUBT  at the start of a tenure, after a reset, after a receipt that was not whole or none at all. Before anything is sent
 *           the sink is asked what it has after the cursor.
 * SURE      everything that has arrived after the cursor is known. Leaves when a send does not end well.
 * </pre>
 *
 * A crash leaves the next one in doubt. What arrived stays known until the cursor has passed it, so also a delivery that could
 * not be written down does not send anything again. Lanes may send at once; all else is by the relay's own thread.
 */
public final class Sender {
    private static final Logger log = LoggerFactory.getLogger(Sender.class);

    private final Sink sink;
    private final NavigableMap<Long, UUID> arrived = new ConcurrentSkipListMap<>();
    private Course course = new Course("", "", 0);
    private long cursor;
    private volatile boolean inDoubt = true;

    public Sender(Sink sink) {
        this.sink = sink;
    }

    /** Where the relay stands now: another course, another tenure, or only not sure any more. */
    public void standAt(Course newCourse, long newCursor) {
        if (!newCourse.equals(course)) {
            arrived.clear();
        }
        course = newCourse;
        cursor = newCursor;
        inDoubt = true;
    }

    /** The cursor is here now. */
    public void passed(long position) {
        cursor = position;
        arrived.headMap(position, true).clear();
    }

    /** Removes any doubt. Throws what the sink throws if it cannot be asked. */
    public void makeSure() throws Exception {
        if (inDoubt) {
            sink.holds(course, cursor).forEach((position, id) -> {
                if (position > cursor) {
                    arrived.put(position, id);
                }
            });
            inDoubt = false;
        }
    }

    /** Whether this event, ahead of the cursor, has arrived as far as anybody can tell. */
    public boolean has(long position, UUID event) {
        return event.equals(arrived.get(position));
    }

    /** Sends those of these events that the sink does not have; the receipt counts all of them. */
    public Receipt send(List<LogEvent> events) throws Exception {
        List<LogEvent> missing = missing(events);
        if (missing.isEmpty()) {
            return Receipt.whole();
        }
        Receipt receipt;
        try {
            receipt = sink.send(course, missing);
        } catch (Exception | Error e) {
            inDoubt = true;
            throw e;
        }
        int taken = receipt.isWhole() ? missing.size() : Math.min(receipt.taken(), missing.size());
        for (LogEvent event : missing.subList(0, taken)) {
            if (event.position() > cursor) {
                arrived.put(event.position(), event.id());
            }
        }
        return taken == missing.size() ? wholly(receipt) : partly(events, missing, taken, receipt);
    }

    /** One that says all were taken and gives an error all the same has taken all. */
    private Receipt wholly(Receipt receipt) {
        if (receipt.error() != null) {
            inDoubt = true;
        }
        return Receipt.whole();
    }

    /** Counts those that were there already as well. */
    private Receipt partly(List<LogEvent> events, List<LogEvent> missing, int taken, Receipt receipt) {
        int counted = events.indexOf(missing.get(taken));
        Throwable error = receipt.error();
        if (error == null) {
            return Receipt.partly(counted);
        }
        inDoubt = true;
        return receipt.isUnavailable()
                ? Receipt.unavailable(counted, error, receipt.retryAfter())
                : Receipt.refused(counted, error, receipt.retryAfter());
    }

    private List<LogEvent> missing(List<LogEvent> events) {
        if (arrived.isEmpty()) {
            return events;
        }
        List<LogEvent> missing = new ArrayList<>(events.size());
        Set<String> sending = new HashSet<>();
        for (LogEvent event : events) {
            UUID there = arrived.get(event.position());
            if (there != null && !there.equals(event.id())) {
                log.error(
                        "relay_conflict relay={} sink=\"{}\" position={} event_id={} there={} the sink has another event of this"
                                + " position: the log was restored or failed over since. Both are there now",
                        course.relay(),
                        sink.describe(),
                        event.position(),
                        event.id(),
                        there);
            }
            // one that comes before it in the order of its key is sent now, so it comes again behind that one
            boolean isBehind = event.key() != null && sending.contains(event.key());
            if (!event.id().equals(there) || isBehind) {
                missing.add(event);
                if (event.key() != null) {
                    sending.add(event.key());
                }
            }
        }
        return missing;
    }

    /** Tries the sink for an operator. */
    public String test() throws Exception {
        return sink.test();
    }

    public String describe() {
        return sink.describe();
    }
}
