package io.postrider.internal.listen;

import io.postrider.Backoff;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.Watch;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.watch.ActivityLog;
import io.postrider.internal.watch.ErrorCode;
import io.postrider.internal.watch.Reports;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Reports what happens to a listener's events, to its {@link Watch} and in log lines. */
final class DeliveryReport {
    private static final Logger log = LoggerFactory.getLogger(DeliveryReport.class);

    private final Listener listener;
    private final Backoff backoff;
    private final Reports reports;
    private final Watch watch;

    /** The last event that was reported as picked up. */
    private long pickedUpTo;

    DeliveryReport(Listener listener, Reports reports) {
        this.listener = listener;
        this.backoff = new Backoff(listener.backoff(), listener.backoffCap());
        this.reports = reports;
        this.watch = reports.watch();
    }

    /** These events are about to be handled. Those that were handled before, as part of a larger batch, are not reported again. */
    void pickedUp(List<LogEvent> events) {
        long before = pickedUpTo;
        if (watch == Watch.NOTHING
                || events.isEmpty()
                || events.get(events.size() - 1).position() <= before) {
            return;
        }
        pickedUpTo = events.get(events.size() - 1).position();
        watch.pickedUp(
                listener.name(),
                events.get(0).position() > before
                        ? events
                        : events.stream()
                                .filter(event -> event.position() > before)
                                .toList());
    }

    /** @param began when handling began, as {@link System#nanoTime()} */
    void delivered(long from, long to, int events, long began) {
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        watch.delivered(listener.name(), listener.topic(), from, to, events, took);
    }

    void succeeded(List<LogEvent> events, int attempt) {
        for (LogEvent event : events) {
            Level level = reports.lines().level(log, ActivityLog.Line.OUTBOX_PUBLISH_SUCCEEDED);
            if (level != null) {
                ActivityLog.write(
                        log,
                        level,
                        "outbox_publish_succeeded listener={} topic={} position={} event_id={} attempt={}",
                        listener.name(),
                        event.topic(),
                        event.position(),
                        event.id(),
                        attempt);
            }
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
                "outbox_publish_failed listener={} topic={} position={} event_id={} attempt={} will_retry={} retry_in={} error_code={} error=\"{}\"",
                listener.name(),
                event.topic(),
                event.position(),
                event.id(),
                attempt,
                attempt < listener.attempts(),
                wait,
                ErrorCode.of(error),
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
                "outbox_dead_lettered listener={} topic={} position={} event_id={} attempt={} error_code={} error=\"{}\"",
                listener.name(),
                letter.event().topic(),
                letter.event().position(),
                letter.event().id(),
                attempt,
                letter.errorCode(),
                letter.error());
        watch.deadLettered(listener.name(), letter.event(), attempt, letter.error());
    }
}
