package io.postrider.internal.relay;

import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
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
 * Sends a relay's events to its sink. An event ahead of the cursor is not sent twice unless the sink cannot say what it has. A
 * retry behind the cursor is sent without asking: how far back it is in the sink is unknown, and a sink is not searched for it.
 *
 * <pre>
 * IN DOUBT  at the start of a tenure, after a reset, after a send that was incomplete or threw. Before anything is sent, the sink
 *           is asked what it has after the cursor.
 * SURE      everything that has arrived after the cursor is known. Leaves when a send does not succeed completely.
 * </pre>
 *
 * A crash leaves the successor in doubt. What has arrived stays known until the cursor has passed it, so a delivery that could not be
 * recorded does not send anything again either. Several threads may send at once, for different keys; everything else is called by
 * the relay's own thread.
 */
public final class Sender {
    private static final Logger log = LoggerFactory.getLogger(Sender.class);

    private final Sink sink;
    private final NavigableMap<Long, UUID> arrived = new ConcurrentSkipListMap<>();
    private RelayEpoch epoch = new RelayEpoch("", "", 0);
    private long cursor;
    private volatile boolean inDoubt = true;

    public Sender(Sink sink) {
        this.sink = sink;
    }

    /** The state of the relay was read again: another epoch or tenure, or something failed. */
    public void resumeAt(RelayEpoch newEpoch, long newCursor) {
        if (!newEpoch.equals(epoch)) {
            arrived.clear();
        }
        epoch = newEpoch;
        cursor = newCursor;
        inDoubt = true;
    }

    public void cursorMoved(long position) {
        cursor = position;
        arrived.headMap(position, true).clear();
    }

    /** If in doubt, asks the sink what it has. Throws what the sink throws. */
    public void resolveDoubt() throws Exception {
        if (inDoubt) {
            sink.holds(epoch, cursor).forEach((position, id) -> {
                if (position > cursor) {
                    arrived.put(position, id);
                }
            });
            inDoubt = false;
        }
    }

    /** Whether this event, ahead of the cursor, is known to have arrived. */
    public boolean hasArrived(long position, UUID event) {
        return event.equals(arrived.get(position));
    }

    /** The last position ahead of the cursor that is known to have arrived; 0 if there is none. */
    public long lastArrived() {
        var last = arrived.lastEntry();
        return last == null ? 0 : last.getKey();
    }

    /** Sends the events that the sink does not have yet; the result counts all events. */
    public SendResult send(List<LogEvent> events) throws Exception {
        List<LogEvent> missing = missing(events);
        if (missing.isEmpty()) {
            return SendResult.whole();
        }
        SendResult result;
        try {
            result = sink.send(epoch, missing);
        } catch (Exception | Error e) {
            inDoubt = true;
            throw e;
        }
        int taken = result.isWhole() ? missing.size() : Math.min(result.taken(), missing.size());
        for (LogEvent event : missing.subList(0, taken)) {
            if (event.position() > cursor) {
                arrived.put(event.position(), event.id());
            }
        }
        return taken == missing.size() ? allTaken(result) : partlyTaken(events, missing, taken, result);
    }

    /** A sink that took all events and reports an error nevertheless has taken all. */
    private SendResult allTaken(SendResult result) {
        if (result.error() != null) {
            inDoubt = true;
        }
        return SendResult.whole();
    }

    /** Counts also the events that had arrived before. */
    private SendResult partlyTaken(List<LogEvent> events, List<LogEvent> missing, int taken, SendResult result) {
        int counted = events.indexOf(missing.get(taken));
        Throwable error = result.error();
        if (error == null) {
            return SendResult.partly(counted);
        }
        inDoubt = true;
        return result.isUnavailable()
                ? SendResult.unavailable(counted, error, result.retryAfter())
                : SendResult.refused(counted, error, result.retryAfter());
    }

    private List<LogEvent> missing(List<LogEvent> events) {
        if (arrived.isEmpty()) {
            return events;
        }
        List<LogEvent> missing = new ArrayList<>(events.size());
        Set<String> sending = new HashSet<>();
        for (LogEvent event : events) {
            UUID known = arrived.get(event.position());
            if (known != null && !known.equals(event.id())) {
                log.error(
                        "relay_conflict relay={} sink=\"{}\" position={} event_id={} there={} the sink has another event at this"
                                + " position: the log was restored or failed over since then. The sink now has both",
                        epoch.relay(),
                        sink.describe(),
                        event.position(),
                        event.id(),
                        known);
            }
            // An earlier event of its key is sent now, so this one is sent again after it.
            boolean isBehind = event.key() != null && sending.contains(event.key());
            if (!event.id().equals(known) || isBehind) {
                missing.add(event);
                if (event.key() != null) {
                    sending.add(event.key());
                }
            }
        }
        return missing;
    }

    /** Tests the sink for an operator. */
    public String test() throws Exception {
        return sink.test();
    }

    public String describe() {
        return sink.describe();
    }
}
