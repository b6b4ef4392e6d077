package io.postrider.listen;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.listen.Fate.Unnoted;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an attempt at one event that was counted before, and sees to it that the count is right: one that the sink was not there
 * for, or that an interrupt cut short, is taken back; one that went well and could not be noted is remembered, so that the event
 * is neither sent again nor buried for it as long as this process lives.
 */
final class Attempts {
    private static final Logger log = LoggerFactory.getLogger(Attempts.class);

    private final Database database;
    private final Performer performer;
    private final Setbacks setbacks;
    private final Map<Long, Attempt> unnoted = new HashMap<>();

    private record Attempt(UUID event, int number) {}

    Attempts(Database database, Performer performer, Setbacks setbacks) {
        this.database = database;
        this.performer = performer;
        this.setbacks = setbacks;
    }

    /** @param isAhead whether the cursor has not passed it */
    Fate make(LogEvent event, int attempt, boolean isAhead, Performer.Settlement settlement)
            throws InterruptedException {
        unnoted.remove(event.position());
        Fate fate;
        try {
            fate = performer.perform(List.of(event), settlement);
        } catch (InterruptedException e) {
            try {
                takeBack(event, attempt, isAhead);
            } catch (PostriderException unwritten) {
                log.debug("attempt {} at {} stays counted: {}", attempt, event.position(), unwritten.getMessage());
            }
            throw e;
        }
        if (fate instanceof Unnoted) {
            unnoted.put(event.position(), new Attempt(event.id(), attempt));
        }
        return fate;
    }

    /** Whether just this attempt went well and only its note is missing: nobody has begun another since. */
    boolean isDone(long position, UUID event, int attempt) {
        return new Attempt(event, attempt).equals(unnoted.get(position));
    }

    /** The note is not missing any more. */
    void noted(long position) {
        unnoted.remove(position);
    }

    /** The listener was reset: what was sent before does not count. */
    void forget() {
        unnoted.clear();
    }

    /** It was not the event's. */
    void takeBack(LogEvent event, int attempt, boolean isAhead) {
        Performer.undisturbed(
                () -> database.transaction(session -> setbacks.uncount(session, event.position(), attempt, isAhead)));
    }
}
