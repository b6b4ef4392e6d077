package io.postrider.listen;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Database;
import io.postrider.listen.Fate.Failed;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells those who watch and who read the log what became of a listener's events, and buries the dead. */
final class Account {
    private static final Logger log = LoggerFactory.getLogger(Account.class);

    private final Database database;
    private final Listener listener;
    private final Setbacks setbacks;
    private final Backoff backoff;
    private final Watch watch;

    Account(Database database, Listener listener, Setbacks setbacks, Watch watch) {
        this.database = database;
        this.listener = listener;
        this.setbacks = setbacks;
        this.backoff = new Backoff(listener.backoff(), listener.backoffCap());
        this.watch = watch;
    }

    void delivered(long from, long to, int events, long began) {
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        watch.delivered(listener.name(), listener.topic(), from, to, events, took);
    }

    void succeeded(List<LogEvent> events, int attempt) {
        if (log.isDebugEnabled()) {
            events.forEach(event -> log.debug(
                    "outbox_publish_succeeded listener={} topic={} position={} event_id={} attempt={}",
                    listener.name(),
                    event.topic(),
                    event.position(),
                    event.id(),
                    attempt));
        }
    }

    /** How long to wait after an attempt; not at all after the last, whose event only has to be buried. */
    Duration waitAfter(int attempt, Failed failed) {
        if (attempt >= listener.attempts()) {
            return Duration.ZERO;
        }
        Duration wait = backoff.after(attempt);
        return wait.compareTo(failed.notBefore()) > 0 ? wait : failed.notBefore();
    }

    /** Logs the first and the last failure with the stack trace, and the attempts between them in one line each. */
    void failed(LogEvent event, int attempt, Duration wait, Throwable error) {
        log.warn(
                "outbox_publish_failed listener={} topic={} position={} event_id={} attempt={} retry_in={} error=\"{}\"",
                listener.name(),
                event.topic(),
                event.position(),
                event.id(),
                attempt,
                wait,
                Setbacks.text(error),
                attempt == 1 || attempt >= listener.attempts() ? error : null);
        watch.setBack(listener.name(), event, attempt, wait, error);
    }

    void halved(List<LogEvent> events, Throwable error) {
        log.warn(
                "outbox_publish_failed listener={} positions={}..{} the batch is halved error=\"{}\"",
                listener.name(),
                events.get(0).position(),
                events.get(events.size() - 1).position(),
                Setbacks.text(error));
    }

    /** A setback that is out of attempts becomes a dead letter, together with what is settled. False if it is not there any more. */
    boolean bury(long position, int attempt, Performer.Settlement settlement) {
        Optional<DeadLetter> buried = database.transaction(session -> {
            Optional<DeadLetter> letter = setbacks.bury(session, position, attempt);
            if (letter.isPresent() && !settlement.settle(session)) {
                throw new PostriderException(
                        Kind.CONFLICT, "listener " + listener.name() + " was moved by another worker");
            }
            return letter;
        });
        buried.ifPresent(letter -> {
            log.error(
                    "outbox_dead_lettered listener={} topic={} position={} event_id={} attempt={} error=\"{}\"",
                    listener.name(),
                    letter.event().topic(),
                    position,
                    letter.event().id(),
                    attempt,
                    letter.error());
            watch.deadLettered(listener.name(), letter.event(), attempt, letter.error());
        });
        return buried.isPresent();
    }
}
