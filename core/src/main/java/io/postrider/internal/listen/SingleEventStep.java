package io.postrider.internal.listen;

import io.postrider.FailurePolicy;
import io.postrider.LogEvent;
import io.postrider.admin.DeadLetter;
import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.NotRecorded;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import io.postrider.internal.listen.SetbacksAhead.Setback;
import io.postrider.internal.log.LogRange;
import io.postrider.internal.log.ReadFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The step for the event right after the cursor when it is handled alone: it has a setback, or it may have crashed a process. */
final class SingleEventStep {
    private final ListenerComponents parts;
    private final Progress progress;
    private final Retries retries;

    SingleEventStep(ListenerComponents parts, Progress progress, Retries retries) {
        this.parts = parts;
        this.progress = progress;
        this.retries = retries;
    }

    /** Decides about a setback right after the cursor. */
    void unblock(Setback setback) throws InterruptedException {
        if (!parts.destination.resolveDoubt()) {
            return; // the sink may have the event, and then it must not become a dead letter
        }
        if (isDone(setback)) {
            pass(setback, Settlement.clearing(setback.position(), setback.attempt()));
            parts.attempts.recorded(setback.position());
        } else if (setback.attempt() >= parts.listener.attempts()) {
            bury(setback);
        } else if (parts.listener.policy() != FailurePolicy.BLOCK) {
            pass(setback, Settlement.NONE);
        } else {
            retryWhenDue(setback);
        }
    }

    private boolean isDone(Setback setback) {
        return parts.attempts.isDone(setback.position(), setback.event(), setback.attempt())
                || parts.destination.has(setback.position(), setback.event());
    }

    /** The cursor moves past the event: it is done, or it is tried again from behind the cursor. */
    private void pass(Setback setback, Settlement settlement) {
        long to = setback.position();
        if (!parts.ledger.settle(settlement.with(progress.cursor().deliveryTo(to, 0)))) {
            progress.ownershipLost();
            return;
        }
        progress.recordedTo(to);
        retries.reload(to);
        parts.batchSize.recover();
    }

    private void bury(Setback setback) {
        long position = setback.position();
        Optional<DeadLetter> letter =
                parts.ledger.bury(position, setback.attempt(), progress.cursor().deliveryTo(position, 0));
        if (letter.isPresent()) {
            parts.report.deadLettered(letter.get(), setback.attempt());
            progress.recordedTo(position);
        } else {
            progress.ownershipLost();
        }
    }

    private void retryWhenDue(Setback setback) throws InterruptedException {
        Duration wait = setback.untilDue();
        if (!wait.isZero()) {
            Duration others = retries.untilDue();
            parts.wait.forNudge(wait.compareTo(others) < 0 ? wait : others);
            return;
        }
        long position = setback.position();
        Cursor cursor = progress.cursor();
        LogRange range = parts.reader.read(
                parts.listener.topic(), cursor.position(), position, 1, ReadFilter.ALL, parts.heads, cursor.era());
        if (range.isEmpty()) {
            parts.wait.forEvents(position - 1, ListenerWait.LONGEST);
        } else if (range.era() != cursor.era()) {
            progress.reload();
        } else {
            attempt(range.events().get(0), position);
        }
    }

    /** Handles the event after the cursor. Its attempt is counted and committed first, in case it kills this process. */
    void attempt(LogEvent event, long to) throws InterruptedException {
        Cursor cursor = progress.cursor();
        Optional<Integer> begun = parts.ledger.beginAttempt(cursor, event);
        if (begun.isEmpty()) {
            progress.ownershipLost();
            return;
        }
        int attempt = begun.get();
        parts.report.pickedUp(List.of(event));
        long began = System.nanoTime();
        HandlingResult result = parts.attempts.make(
                event,
                attempt,
                true,
                Settlement.clearing(event.position(), attempt).with(cursor.deliveryTo(to, 1)));
        if (result instanceof Delivered) {
            progress.deliveredTo(to, List.of(event), attempt, began);
            parts.batchSize.recover();
        } else if (result instanceof Failed failed) {
            parts.destination.responded();
            progress.setBack(event, attempt, failed);
        } else if (result instanceof Unavailable unavailable) {
            parts.attempts.takeBack(event, attempt, true);
            if (attempt > 1) {
                progress.ahead().add(event, attempt - 1, Duration.ZERO);
            }
            parts.destination.unavailable(unavailable);
        } else if (result instanceof NotRecorded notRecorded) {
            throw notRecorded.error();
        } else {
            progress.ownershipLost();
        }
    }
}
