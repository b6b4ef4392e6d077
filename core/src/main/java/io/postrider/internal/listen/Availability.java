package io.postrider.internal.listen;

import io.postrider.Backoff;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the other side of a relay is available, and when it is tried again. The rows that it writes in the database are for
 * people; they only decide when a successor tries again.
 */
final class Availability {
    private static final Logger log = LoggerFactory.getLogger(Availability.class);
    private static final Sql UNAVAILABLE = Sql.file("listen/unavailable");
    private static final Sql AVAILABLE = Sql.file("listen/available");

    /** A broker that restarts is back in a second or two; one that is down for long is tried every ten seconds. */
    private static final Backoff TRYING = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private final Database database;
    private final String relay;
    private final String description;
    private final Watch watch;
    private long epoch;
    private int tries;
    private Deadline nextTry = Deadline.now();

    /** @param description of the other side, for the log */
    Availability(Database database, String relay, String description, Watch watch) {
        this.database = database;
        this.relay = relay;
        this.description = description;
        this.watch = watch;
    }

    /** A predecessor's wait is continued, and cleared by us. After a reset nothing of it is left. */
    void resumeAt(ListenerState state) {
        boolean isReset = state.epoch() != epoch;
        epoch = state.epoch();
        tries = isReset ? state.unavailableTries() : Math.max(tries, state.unavailableTries());
        Deadline recorded = Deadline.in(limited(state.unavailableFor()));
        nextTry = isReset || nextTry.earlier(recorded) == nextTry ? recorded : nextTry;
    }

    /** The other side may ask for any wait, and the clock of a predecessor may have been ahead. */
    private static Duration limited(Duration wait) {
        return wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
    }

    boolean isUnavailable() {
        return !nextTry.isPassed();
    }

    Duration untilNextTry() {
        return Duration.ofNanos(Math.max(0, nextTry.nanosLeft()));
    }

    void tryNow() {
        nextTry = Deadline.now();
    }

    void unavailable(Unavailable result) {
        Throwable error = result.error();
        int count = ++tries;
        Duration backoff = TRYING.jittered(count);
        Duration wait = result.notBefore().compareTo(backoff) > 0 ? limited(result.notBefore()) : backoff;
        nextTry = Deadline.in(wait);
        log.warn(
                "relay_unavailable relay={} sink=\"{}\" tries={} retry_in={} error=\"{}\"",
                relay,
                description,
                count,
                wait,
                Setbacks.text(error));
        watch.unavailable(relay, count, wait, error);
        Uninterrupted.run(() -> database.transaction(session -> session.update(
                UNAVAILABLE,
                bind -> bind.text("listener", relay)
                        .int4("tries", count)
                        .millis("wait", wait)
                        .text("error", Setbacks.text(error)))));
    }

    void responded() {
        if (tries == 0) {
            return;
        }
        log.info("relay_available relay={} sink=\"{}\" tries={}", relay, description, tries);
        tries = 0;
        database.transaction(session -> session.update(AVAILABLE, bind -> bind.text("listener", relay)));
    }
}
