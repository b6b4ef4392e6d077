package io.postrider.listen;

import io.postrider.Course;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import io.postrider.listen.Fate.Unavailable;
import io.postrider.relay.Sender;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a listener that sends to a sink has beside the others: whether the sink is there, and what an operator is told of it. The
 * note in the database is for those who look; nothing is decided by it.
 */
final class Relaying implements Outlet {
    private static final Logger log = LoggerFactory.getLogger(Relaying.class);
    private static final Sql UNAVAILABLE = Sql.file("listen/unavailable");
    private static final Sql AVAILABLE = Sql.file("listen/available");
    private static final Sql TESTED = Sql.file("listen/tested");

    /** A broker that restarts is back in a second or two; one that is down for long is asked every ten. */
    private static final Backoff TRYING = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final Duration LONGEST = Duration.ofHours(1);

    private final Database database;
    private final String relay;
    private final String topic;
    private final Sender sender;
    private final Watch watch;
    private Course course;
    private int tries;
    private long nextTryAt = System.nanoTime();

    Relaying(Database database, Listener listener, Sender sender, Watch watch) {
        this.database = database;
        this.relay = listener.name();
        this.topic = listener.topic();
        this.course = new Course(relay, topic, 0);
        this.sender = sender;
        this.watch = watch;
    }

    @Override
    public boolean isSlow() {
        return true;
    }

    /** What a predecessor has noted is ours to heed and to clear. After a reset nothing is left of it. */
    @Override
    public void standAt(Ledger.Place place) {
        Course now = new Course(relay, topic, place.course());
        boolean isReset = !now.equals(course);
        course = now;
        sender.standAt(now, place.cursor());
        tries = isReset ? place.tries() : Math.max(tries, place.tries());
        Duration away = place.away().compareTo(LONGEST) > 0 ? LONGEST : place.away(); // the clock may have been ahead
        long noted = System.nanoTime() + away.toNanos();
        nextTryAt = isReset || noted - nextTryAt > 0 ? noted : nextTryAt;
    }

    @Override
    public void passed(long position) {
        sender.passed(position);
    }

    /** A sink that cannot even say what it has is not there. */
    @Override
    public boolean makeSure() throws InterruptedException {
        try {
            sender.makeSure();
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            away(new Unavailable(0, e, Duration.ZERO));
            return false;
        }
    }

    @Override
    public boolean has(long position, UUID event) {
        return sender.has(position, event);
    }

    @Override
    public boolean isAway() {
        return nextTryAt - System.nanoTime() > 0;
    }

    @Override
    public Duration untilNextTry() {
        return Duration.ofNanos(Math.max(0, nextTryAt - System.nanoTime()));
    }

    @Override
    public void away(Unavailable away) {
        Throwable error = away.error();
        Duration notBefore = away.notBefore();
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
        Performer.undisturbed(() -> database.transaction(session -> session.update(
                UNAVAILABLE,
                bind -> bind.text("listener", relay)
                        .int4("tries", count)
                        .millis("wait", until)
                        .text("error", Setbacks.text(error)))));
    }

    @Override
    public void answered() {
        if (tries == 0) {
            return;
        }
        log.info("relay_available relay={} sink=\"{}\" tries={}", relay, sender.describe(), tries);
        tries = 0;
        database.transaction(session -> session.update(AVAILABLE, bind -> bind.text("listener", relay)));
    }

    /** For an operator who asked. A relay whose sink was away tries it now if it could be reached, and else goes on as it was. */
    @Override
    public void test() throws InterruptedException {
        @Nullable String found = null;
        @Nullable String error = null;
        try {
            found = sender.test();
            nextTryAt = System.nanoTime();
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
