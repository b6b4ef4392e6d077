package io.postrider.internal.listen;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import io.postrider.internal.relay.Sender;
import io.postrider.internal.shadow.SinkReading;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sink of a relay: sends to it, and knows what has arrived. */
final class SinkDestination implements Destination {
    private static final Logger log = LoggerFactory.getLogger(SinkDestination.class);
    private static final Sql TESTED = Sql.file("listen/tested");

    private final Database database;
    private final String relay;
    private final String topic;
    private final Sender sender;
    private final Availability availability;
    private final SinkReading reading;

    SinkDestination(
            Database database, Listener listener, Sender sender, Availability availability, SinkReading reading) {
        this.database = database;
        this.relay = listener.name();
        this.topic = listener.topic();
        this.sender = sender;
        this.availability = availability;
        this.reading = reading;
    }

    /** May be called by several threads at once, for different keys. */
    SendResult send(List<LogEvent> events) throws Exception {
        return sender.send(events);
    }

    @Override
    public boolean isSlow() {
        return true;
    }

    @Override
    public void resumeAt(ListenerState state) {
        sender.resumeAt(new RelayEpoch(relay, topic, state.epoch()), state.cursor());
        availability.resumeAt(state);
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
    public long lastArrived() {
        return sender.lastArrived();
    }

    @Override
    public boolean isUnavailable() {
        return availability.isUnavailable();
    }

    @Override
    public Duration untilNextTry() {
        return availability.untilNextTry();
    }

    @Override
    public void unavailable(Unavailable result) {
        availability.unavailable(result);
    }

    @Override
    public void responded() {
        availability.responded();
    }

    @Override
    public void readPublished() {
        reading.begin();
    }

    /** If the sink was unavailable and the test reaches it, the relay tries it now; otherwise it goes on as before. */
    @Override
    public void test() throws InterruptedException {
        @Nullable String found = null;
        @Nullable String error = null;
        try {
            found = sender.test();
            availability.tryNow();
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
