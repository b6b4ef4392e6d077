package io.postrider.internal.listen;

import io.postrider.Envelope;
import io.postrider.Handler;
import io.postrider.LogEvent;
import io.postrider.internal.db.HandlerFailedException;
import io.postrider.internal.db.HandlerTransaction;
import io.postrider.internal.db.TransactionMarker;
import io.postrider.internal.log.LogRange;
import io.postrider.internal.shadow.MessageHash;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The step for a range of events while the listener is in shadow: everything except the sending. A relay is not called; the message
 * for its sink is built and only its hash is kept. The handler of a transactional listener is called, and its transaction is rolled
 * back; a failure is recorded and not retried. Then the record and the cursor are written in one transaction, in which the database
 * checks that the listener is still in shadow.
 */
final class ShadowStep {
    private static final Logger log = LoggerFactory.getLogger(ShadowStep.class);
    private static final int LONGEST_ERROR = 500;

    private final ListenerComponents parts;
    private final Progress progress;

    ShadowStep(ListenerComponents parts, Progress progress) {
        this.parts = parts;
        this.progress = progress;
    }

    void record(LogRange range) throws InterruptedException {
        List<LogEvent> events = range.events();
        Map<Long, String> failures = parts.listener.isTransactional() ? rehearse(events) : Map.of();
        ShadowRecord record = new ShadowRecord(
                events.stream().map(LogEvent::position).toList(),
                events.stream().map(LogEvent::id).toList(),
                events.stream().map(event -> MessageHash.of(message(event))).toList(),
                events.stream().map(event -> MessageHash.of(event.payload())).toList(),
                failures);
        Settlement settlement = Settlement.ofShadow(progress.cursor().deliveryTo(range.to(), events.size()), record);
        if (parts.ledger.settle(settlement)) {
            progress.recordedTo(range.to());
        } else {
            progress.modeOrOwnerChanged();
        }
    }

    private String message(LogEvent event) {
        return parts.listener.handler() instanceof Handler.ToSink to ? to.sink().message(event) : Envelope.json(event);
    }

    // ── a transactional handler ─────────────────────────────────────────────────────────────────────────────────────

    /** Calls the handler for all events in one transaction that is rolled back. Behind an event that fails, another one begins. */
    private Map<Long, String> rehearse(List<LogEvent> events) throws InterruptedException {
        Map<Long, String> failures = new LinkedHashMap<>();
        boolean inOne = parts.listener.handler() instanceof Handler.TransactionalBatch;
        int from = 0;
        while (from < events.size()) {
            List<LogEvent> rest = events.subList(from, events.size());
            int[] at = {-1};
            Throwable error = rehearse(rest, at);
            if (error == null) {
                break;
            }
            HandlingResult.rethrowUnlessByEvent(error);
            if (inOne && rest.size() > 1) {
                return oneByOne(rest);
            }
            LogEvent event = rest.get(Math.max(0, at[0]));
            failures.put(event.position(), failed(event, error));
            from += Math.max(0, at[0]) + 1;
        }
        return failures;
    }

    /** It is unknown at which event of a batch the handler failed: each is tried alone. */
    private Map<Long, String> oneByOne(List<LogEvent> events) throws InterruptedException {
        Map<Long, String> failures = new LinkedHashMap<>();
        for (LogEvent event : events) {
            Throwable error = rehearse(List.of(event), new int[1]);
            if (error != null) {
                HandlingResult.rethrowUnlessByEvent(error);
                failures.put(event.position(), failed(event, error));
            }
        }
        return failures;
    }

    private String failed(LogEvent event, Throwable error) {
        String text = Setbacks.text(error);
        log.warn(
                "shadow_failed listener={} position={} event_id={} error=\"{}\"",
                parts.listener.name(),
                event.position(),
                event.id(),
                text);
        return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR);
    }

    /** @return why it failed, at the index {@code at}; null if it did not */
    private @Nullable Throwable rehearse(List<LogEvent> events, int[] at) {
        try {
            HandlerTransaction.run(parts.database, TransactionMarker.ofListener(parts.tenure.row()), transaction -> {
                TransactionalInvoker.call(parts.listener.handler(), transaction, events, at);
                throw new RolledBack();
            });
            return null;
        } catch (RolledBack e) {
            return null;
        } catch (HandlerFailedException e) {
            return e.reason();
        }
    }

    /** Ends the transaction of a handler that was only called to see whether it fails. */
    private static final class RolledBack extends RuntimeException {
        private static final long serialVersionUID = 1;

        RolledBack() {
            super("rolled back in shadow mode", null, false, false);
        }
    }
}
