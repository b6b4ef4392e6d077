package io.postrider.internal.listen;

import io.postrider.Backoff;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import io.postrider.internal.relay.Sender;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sink of a relay: sends to it, knows whether it is available, and reports that to operators. The rows that it writes in the
 * database are for people; they only decide when a successor tries again.
 */
final class SinkDestination implements Destination {
    private static final Logger log = LoggerFactory.getLogger(SinkDestination.class);
    private static final Sql UNAVAILABLE = Sql.file("listen/unavailable");
    private static final Sql AVAILABLE = Sql.file("listen/available");
    private static final Sql TESTED = Sql.file("listen/tested");

    /** A broker that restarts is back in a second or two; one that is down for long is tried every ten seconds. */
    private static final Backoff TRYING = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private final Database database;
    private final String relay;
    private final String topic;
    private final Sender sender;
    private final Watch watch;
    private RelayEpoch epoch;
    private int tries;
    private Deadline nextTry = Deadline.now();

    SinkDestination(Database database, Listener listener, Sender sender, Watch watch) {
        this.database = database;
        this.relay = listener.name();
        this.topic = listener.topic();
        this.epoch = new RelayEpoch(relay, topic, 0);
        this.sender = sender;
        this.watch = watch;
    }

    /** May be called by several threads at once, for different keys. */
    SendResult send(List<LogEvent> events) throws Exception {
        return sender.send(events);
    }

    @Override
    public boolean isSlow() {
        return true;
    }

    /** A predecessor's wait for the sink is continued, and cleared by us. After a reset nothing of it is left. */
    @Override
    public void resumeAt(ListenerState state) {
        RelayEpoch now = new RelayEpoch(relay, topic, state.epoch());
        boolean isReset = !now.equals(epoch);
        epoch = now;
        sender.resumeAt(now, state.cursor());
        tries = isReset ? state.unavailableTries() : Math.max(tries, state.unavailableTries());
        Deadline recorded = Deadline.in(limited(state.unavailableFor()));
        nextTry = isReset || nextTry.earlier(recorded) == nextTry ? recorded : nextTry;
    }

    /** A sink may ask for any wait, and the clock of a predecessor may have been ahead. */
    private static Duration limited(Duration wait) {
        return wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
    }

    @Override
    public void cursorMoved(long position) {
        sender.cursorMoved(position);
    }

    /** A sink that cannot say what it has is unavailable. */
    @Override
    public boolean resolveDoubt() throws InterruptedException {
        try {
            sender.resolveDoubt();
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            unavailable(new Unavailable(0, e, Duration.ZERO));
            return false;
        }
    }

    @Override
    public boolean has(long position, UUID event) {
        return sender.hasArrived(position, event);
    }

    @Override
    public boolean isUnavailable() {
        return !nextTry.isPassed();
    }

    @Override
    public Duration untilNextTry() {
        return Duration.ofNanos(Math.max(0, nextTry.nanosLeft()));
    }

    @Override
    public void unavailable(Unavailable result) {
        Throwable error = result.error();
        int count = ++tries;
        Duration backoff = TRYING.jittered(count);
        Duration wait = result.notBefore().compareTo(backoff) > 0 ? limited(result.notBefore()) : backoff;
        nextTry = Deadline.in(wait);
        log.warn(
                "relay_unavailable relay={} sink=\"{}\" tries={} retry_in={} error=\"{}\"",
                relay,
                sender.describe(),
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

    @Override
    public void responded() {
        if (tries == 0) {
            return;
        }
        log.info("relay_available relay={} sink=\"{}\" tries={}", relay, sender.describe(), tries);
        tries = 0;
        database.transaction(session -> session.update(AVAILABLE, bind -> bind.text("listener", relay)));
    }

    /** If the sink was unavailable and the test reaches it, the relay tries it now; otherwise it goes on as before. */
    @Override
    public void test() throws InterruptedException {
        @Nullable String found = null;
        @Nullable String error = null;
        try {
            found = sender.test();
            nextTry = Deadline.now();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            error = Setbacks.text(e);
        }
        log.info("relay_tested relay={} sink=\"{}\" found=\"{}\" error=\"{}\"", relay, sender.describe(), found, error);
        recordTest(found, error);
    }

    private void recordTest(@Nullable String found, @Nullable String error) {
        try {
            database.transaction(session -> session.update(
                    TESTED,
                    bind -> bind.text("listener", relay).text("found", found).text("error", error)));
        } catch (PostriderException e) {
            log.warn("relay_tested relay={} the result could not be written: {}", relay, e.getMessage());
        }
    }
}
