package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.internal.db.Database;
import io.postrider.internal.listen.HandlingResult.NotRecorded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an attempt at one event that was counted before, and keeps the count correct. An attempt that failed because the sink was
 * unavailable, or that an interrupt cut short, is taken back. One that succeeded and could not be recorded is remembered, so that
 * this process neither sends the event again nor makes it a dead letter.
 */
final class Attempts {
    private static final Logger log = LoggerFactory.getLogger(Attempts.class);

    private final Database database;
    private final HandlerInvoker invoker;
    private final Setbacks setbacks;
    private final Map<Long, Attempt> unrecorded = new HashMap<>();

    private record Attempt(UUID event, int number) {}

    Attempts(Database database, HandlerInvoker invoker, Setbacks setbacks) {
        this.database = database;
        this.invoker = invoker;
        this.setbacks = setbacks;
    }

    /** @param isAhead whether the cursor has not passed the event */
    HandlingResult make(LogEvent event, int attempt, boolean isAhead, Settlement settlement)
            throws InterruptedException {
        unrecorded.remove(event.position());
        HandlingResult result;
        try {
            result = invoker.handle(List.of(event), settlement);
        } catch (InterruptedException e) {
            try {
                takeBack(event, attempt, isAhead);
            } catch (PostriderException failed) {
                log.debug("attempt {} at {} stays counted: {}", attempt, event.position(), failed.getMessage());
            }
            throw e;
        }
        if (result instanceof NotRecorded) {
            unrecorded.put(event.position(), new Attempt(event.id(), attempt));
        }
        return result;
    }

    /** Whether exactly this attempt succeeded and only its record is missing: no other attempt has begun since. */
    boolean isDone(long position, UUID event, int attempt) {
        return new Attempt(event, attempt).equals(unrecorded.get(position));
    }

    /** The record is no longer missing. */
    void recorded(long position) {
        unrecorded.remove(position);
    }

    /** The listener was reset: events sent before do not count. */
    void forget() {
        unrecorded.clear();
    }

    /** The event was not to blame. */
    void takeBack(LogEvent event, int attempt, boolean isAhead) {
        Uninterrupted.run(
                () -> database.transaction(session -> setbacks.uncount(session, event.position(), attempt, isAhead)));
    }
}
