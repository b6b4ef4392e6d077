package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.log.LogRange;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of a listener: its cursor and the setbacks ahead of it, as this node believes. Every change is made here, after
 * {@link Ledger} has written it; if the ledger has moved, everything is read again. Not thread-safe.
 */
final class Progress {
    private static final Logger log = LoggerFactory.getLogger(Progress.class);

    /** With a filter, this many positions without an event for the listener are recorded at once; fewer after a second. */
    private static final int RECORDED_AT_ONCE = 1_000;

    private static final Duration RECORDED_AFTER = Duration.ofSeconds(1);

    /** While there is more to send, what a sink has taken is recorded this often: a commit took as long as a send. */
    private static final Duration RECORDED_EVERY = Duration.ofMillis(100);

    private final ListenerComponents parts;
    private final Retries retries;
    private final SetbacksAhead ahead = new SetbacksAhead();
    private Cursor cursor = Cursor.UNKNOWN;
    private boolean stale;

    Progress(ListenerComponents parts, Retries retries) {
        this.parts = parts;
        this.retries = retries;
    }

    Cursor cursor() {
        return cursor;
    }

    SetbacksAhead ahead() {
        return ahead;
    }

    // ── what the database says ──────────────────────────────────────────────────────────────────────────────────────

    /** Something failed: what this node believes may be wrong. */
    void invalidate() {
        stale = true;
    }

    /** Reads the state again if it may be wrong, or the listener was reset. */
    void refresh() {
        if (stale || parts.assignment.isResetSince(cursor.epoch())) {
            reload();
        }
    }

    void reload() {
        parts.database.autocommit(session -> {
            ListenerState state = parts.ledger.state(session);
            parts.destination.resumeAt(state);
            if (cursor.epoch() != state.epoch()) {
                parts.attempts.forget();
            }
            cursor = Cursor.at(state);
            parts.destination.cursorMoved(cursor.position());
            ahead.replace(parts.setbacks.ahead(session, cursor.position(), parts.assignment.isShared()));
            return true;
        });
        retries.reload(cursor.position());
        stale = false;
    }

    /** Another node has moved the listener. */
    void ownershipLost() {
        log.warn(
                "listener_lost listener={} position={} another node has moved it",
                parts.listener.name(),
                cursor.position());
        reload();
    }

    /** The database refused a record: the listener went live, was reset, or another node has moved it. */
    void modeOrOwnerChanged() {
        long was = cursor.position();
        reload();
        log.info(
                "listener_moved listener={} was={} position={} mode={}",
                parts.listener.name(),
                was,
                cursor.position(),
                cursor.isShadow() ? "shadow" : "live");
    }

    // ── the cursor moves ────────────────────────────────────────────────────────────────────────────────────────────

    /** The ledger has everything up to here as finished. */
    void recordedTo(long to) {
        cursor = cursor.recordedTo(to);
        ahead.passed(to);
        parts.destination.cursorMoved(to);
    }

    /** The same, after these events have been handled at this attempt. */
    void deliveredTo(long to, List<LogEvent> events, int attempt, long began) {
        long from = cursor.position() + 1;
        int count = cursor.unrecorded() + events.size();
        recordedTo(to);
        if (count > 0) {
            parts.destination.responded();
        }
        parts.report.succeeded(events, attempt);
        parts.report.delivered(from, to, count, began);
    }

    /** A sink has taken these events; they are recorded in the ledger after 100 ms. */
    void sent(LogRange range, List<LogEvent> events) {
        cursor = cursor.sentTo(range.to(), events.size());
        parts.report.succeeded(events, 1);
        if (!isRecordedLately()) {
            recordNow();
        }
    }

    /** Positions up to here have no event for this listener. */
    void scannedTo(long to) {
        cursor = cursor.scannedTo(to);
    }

    boolean isRecordedLately() {
        return cursor.nanosSinceRecorded() < RECORDED_EVERY.toNanos();
    }

    /** Records positions without an event now and then, and at once if a setback is right behind them. */
    void recordScanned(boolean now) {
        long scanned = cursor.scanned() - cursor.position();
        if (scanned > 0
                && (now
                        || scanned >= RECORDED_AT_ONCE
                        || cursor.nanosSinceRecorded() > RECORDED_AFTER.toNanos()
                        || cursor.unrecorded() > 0)) {
            recordNow();
        }
    }

    /** Before something that may take long: records what a sink has taken. */
    void recordSent() {
        if (cursor.unrecorded() > 0) {
            recordNow();
        }
    }

    private void recordNow() {
        long to = cursor.scanned();
        Settlement.Delivery delivery = cursor.deliveryTo(to, 0);
        if (!parts.ledger.settle(
                cursor.isShadow() ? Settlement.ofShadow(delivery, ShadowRecord.NONE) : Settlement.of(delivery))) {
            ownershipLost();
        } else if (cursor.unrecorded() > 0) {
            deliveredTo(to, List.of(), 1, cursor.recordedAt());
        } else {
            recordedTo(to);
        }
    }

    // ── an event fails ──────────────────────────────────────────────────────────────────────────────────────────────

    /** Records a failed attempt at an event after the cursor. False if the listener is not ours any more. */
    boolean setBack(LogEvent event, int attempt, Failed failed) {
        Duration wait = parts.report.waitAfter(attempt, failed);
        if (!parts.ledger.setBack(cursor, event, attempt, wait, failed.error())) {
            ownershipLost();
            return false;
        }
        ahead.add(event, attempt, wait);
        parts.report.failed(event, attempt, wait, failed.error());
        return true;
    }
}
