package io.postrider.listen;

import io.postrider.Course;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import io.postrider.relay.Sender;
import io.postrider.watch.Watch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a listener that sends to a sink has beside the others: whether the sink is there, and what an operator is told of it. The
 * note in the database is for those who look; nothing is decided by it.
 */
final class Relaying {
    private static final Logger log = LoggerFactory.getLogger(Relaying.class);
    private static final Sql UNAVAILABLE = Sql.file("listen/unavailable");
    private static final Sql AVAILABLE = Sql.file("listen/available");
    private static final Sql TESTED = Sql.file("listen/tested");

    /** A broker that restarts is back in a second or two; one that is down for long is asked every ten. */
    private static final Backoff TRYING = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final Duration LONGEST = Duration.ofHours(1);

    private final Database database;
    private final String relay;
    private final Sender sender;
    private final Watch watch;
    private int tries;
    private long nextTryAt = System.nanoTime();

    Relaying(Database database, Listener listener, Sender sender, Watch watch) {
        this.database = database;
        this.relay = listener.name();
        this.sender = sender;
        this.watch = watch;
    }

    /** @param triesSoFar what a predecessor has noted, which is ours to clear now */
    void standAt(Course course, long cursor, int triesSoFar) {
        sender.standAt(course, cursor);
        tries = Math.max(tries, triesSoFar);
    }

    void passed(long position) {
        sender.passed(position);
    }

    boolean isAway() {
        return nextTryAt - System.nanoTime() > 0;
    }

    Duration untilNextTry() {
        return Duration.ofNanos(Math.max(0, nextTryAt - System.nanoTime()));
    }

    void away(Throwable error, Duration notBefore) {
        tries++;
        Duration wait = TRYING.after(tries);
        if (notBefore.compareTo(wait) > 0) {
            wait = notBefore.compareTo(LONGEST) > 0 ? LONGEST : notBefore;
        }
        nextTryAt = System.nanoTime() + wait.toNanos();
        log.warn(
                "relay_unavailable relay={} sink=\"{}\" tries={} retry_in={} error=\"{}\"",
                relay,
                sender.describe(),
                tries,
                wait,
                Setbacks.text(error));
        watch.unavailable(relay, tries, wait, error);
        Duration until = wait;
        int count = tries;
        database.transaction(session -> session.update(
                UNAVAILABLE,
                bind -> bind.text("listener", relay)
                        .int4("tries", count)
                        .millis("wait", until)
                        .text("error", Setbacks.text(error))));
    }

    /** Something was sent. */
    void back() {
        if (tries == 0) {
            return;
        }
        log.info("relay_available relay={} sink=\"{}\" tries={}", relay, sender.describe(), tries);
        tries = 0;
        database.transaction(session -> session.update(AVAILABLE, bind -> bind.text("listener", relay)));
    }

    /** For an operator who asked; the relay goes on as it was. */
    void test() throws InterruptedException {
        @Nullable String found = null;
        @Nullable String error = null;
        try {
            found = sender.test();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            error = Setbacks.text(e);
        }
        log.info("relay_tested relay={} sink=\"{}\" found=\"{}\" error=\"{}\"", relay, sender.describe(), found, error);
        String sentence = found;
        String flaw = error;
        try {
            database.transaction(session -> session.update(
                    TESTED,
                    bind -> bind.text("listener", relay).text("found", sentence).text("error", flaw)));
        } catch (PostriderException e) {
            log.warn("relay_tested relay={} the result could not be written: {}", relay, e.getMessage());
        }
    }
}
