package io.postrider.internal.listen;

import io.postrider.FailurePolicy;
import io.postrider.LogEvent;
import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.NotRecorded;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The setbacks of a listener behind its cursor: parked, skipped or replayed. Each is tried again when it is due, for each key the
 * first one.
 */
final class Retries {
    private static final int DUE_AT_ONCE = 50;

    /** The log waits this long for retries, plus the one just begun. With 50 retries to a slow sink it waited for minutes. */
    private static final Duration TURN = Duration.ofMillis(200);

    private static final Duration NONE_DUE = Duration.ofHours(1);

    private final ListenerComponents parts;
    private Deadline due = Deadline.now();
    private Set<String> parkedKeys = Set.of();

    Retries(ListenerComponents parts) {
        this.parts = parts;
    }

    /** Whether an event has to wait behind an earlier one of its key. */
    boolean isParked(LogEvent event) {
        return event.key() != null && parkedKeys.contains(event.key());
    }

    boolean hasParked() {
        return !parkedKeys.isEmpty();
    }

    boolean isDue() {
        return due.isPassed();
    }

    Duration untilDue() {
        return Duration.ofNanos(Math.max(0, due.nanosLeft()));
    }

    /** Reads which keys are parked and when the next event is due. */
    void reload(long cursor) {
        if (parts.listener.policy() == FailurePolicy.PARK) {
            parkedKeys = parts.database.autocommit(parts.setbacks::parkedKeys);
        }
        schedule(cursor);
    }

    /** Reads when the next event is due. */
    void schedule(long cursor) {
        Optional<Duration> wait = parts.database.autocommit(
                session -> parts.setbacks.nextDue(session, cursor, parts.assignment.isShared()));
        due = Deadline.in(wait.orElse(NONE_DUE));
    }

    /** Tries the events that are due, for 200 ms at most: then the log has its turn. */
    void tryDue(long cursor, BooleanSupplier mayContinue) throws InterruptedException {
        Deadline end = Deadline.in(TURN);
        List<Setbacks.Due> all = parts.database.autocommit(
                session -> parts.setbacks.due(session, cursor, DUE_AT_ONCE, parts.assignment.isShared()));
        for (Setbacks.Due one : all) {
            if (!mayContinue.getAsBoolean()) {
                return;
            }
            decide(one);
            if (end.isPassed()) {
                break;
            }
        }
        reload(cursor);
    }

    private void decide(Setbacks.Due setback) throws InterruptedException {
        long position = setback.event().position();
        if (parts.attempts.isDone(position, setback.event().id(), setback.attempt())) {
            parts.database.transaction(session -> parts.setbacks.clear(session, position, setback.attempt()));
            parts.attempts.recorded(position);
            delivered(setback.event(), setback.attempt(), System.nanoTime());
        } else if (setback.attempt() >= parts.listener.attempts()) {
            parts.ledger
                    .bury(position, setback.attempt(), null)
                    .ifPresent(letter -> parts.report.deadLettered(letter, setback.attempt()));
        } else if (parts.destination.resolveDoubt()) {
            retry(setback.event(), setback.attempt());
        }
    }

    private void retry(LogEvent event, int before) throws InterruptedException {
        Optional<Integer> begun =
                parts.database.transaction(session -> parts.setbacks.beginAgain(session, event.position(), before));
        if (begun.isEmpty()) {
            return; // another node is trying it, or has finished it
        }
        int attempt = begun.get();
        long began = System.nanoTime();
        HandlingResult result =
                parts.attempts.make(event, attempt, false, Settlement.clearing(event.position(), attempt));
        if (result instanceof Delivered) {
            parts.destination.responded();
            delivered(event, attempt, began);
        } else if (result instanceof Failed failed) {
            parts.destination.responded();
            setBackAgain(event, attempt, failed);
        } else if (result instanceof Unavailable unavailable) {
            parts.attempts.takeBack(event, attempt, false);
            parts.destination.unavailable(unavailable);
        } else if (result instanceof NotRecorded notRecorded) {
            throw notRecorded.error();
        }
        // ownership lost: another node has begun an attempt of its own
    }

    private void setBackAgain(LogEvent event, int attempt, Failed failed) {
        Duration wait = parts.report.waitAfter(attempt, failed);
        parts.database.transaction(session -> {
            parts.setbacks.setBackAgain(session, event.position(), attempt, wait, failed.error());
            return true;
        });
        parts.report.failed(event, attempt, wait, failed.error());
    }

    private void delivered(LogEvent event, int attempt, long began) {
        parts.report.succeeded(List.of(event), attempt);
        parts.report.delivered(event.position(), event.position(), 1, began);
    }
}
