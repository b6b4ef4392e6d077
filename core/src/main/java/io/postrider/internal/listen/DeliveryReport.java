package io.postrider.internal.listen;

import io.postrider.Backoff;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.Watch;
import io.postrider.internal.listen.HandlingResult.Failed;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports what happens to a listener's events, to its {@link Watch} and in log lines. */
final class DeliveryReport {
    private static final Logger log = LoggerFactory.getLogger(DeliveryReport.class);

    private final Listener listener;
    private final Backoff backoff;
    private final Watch watch;

    DeliveryReport(Listener listener, Watch watch) {
        this.listener = listener;
        this.backoff = new Backoff(listener.backoff(), listener.backoffCap());
        this.watch = watch;
    }

    /** @param began when handling began, as {@link System#nanoTime()} */
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

    /** The wait after an attempt; none after the last one, whose event only has to become a dead letter. */
    Duration waitAfter(int attempt, Failed failed) {
        if (attempt >= listener.attempts()) {
            return Duration.ZERO;
        }
        Duration wait = backoff.jittered(attempt);
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

    void deadLettered(DeadLetter letter, int attempt) {
        log.error(
                "outbox_dead_lettered listener={} topic={} position={} event_id={} attempt={} error=\"{}\"",
                listener.name(),
                letter.event().topic(),
                letter.event().position(),
                letter.event().id(),
                attempt,
                letter.error());
        watch.deadLettered(listener.name(), letter.event(), attempt, letter.error());
    }
}
