package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.FailedInBatch;
import io.postrider.internal.listen.HandlingResult.NotRecorded;
import io.postrider.internal.listen.HandlingResult.PartlyTaken;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import io.postrider.internal.log.LogRange;
import java.util.List;

/** The steps for a range of events that are handled together: sort, handle, settle. */
final class BatchStep {
    private final ListenerComponents parts;
    private final Progress progress;
    private final Retries retries;

    BatchStep(ListenerComponents parts, Progress progress, Retries retries) {
        this.parts = parts;
        this.progress = progress;
        this.retries = retries;
    }

    /**
     * The events of a range.
     *
     * @param events those that are handled now
     * @param parked those that wait behind an earlier event of their key
     * @param recordedLater whether it is recorded in the ledger later, together with the next batches
     * @param began when handling began, as {@link System#nanoTime()}
     */
    record Batch(LogRange range, List<LogEvent> events, List<LogEvent> parked, boolean recordedLater, long began) {}

    /** @param mayRecordLater whether there is more to send, and no reason to record each batch */
    Batch sort(LogRange range, boolean mayRecordLater) {
        List<LogEvent> events = range.events();
        List<LogEvent> parked = List.of();
        if (retries.hasParked()) {
            events = range.events().stream()
                    .filter(event -> !retries.isParked(event))
                    .toList();
            parked = range.events().stream().filter(retries::isParked).toList();
        }
        boolean recordedLater = mayRecordLater && parked.isEmpty() && progress.isRecordedLately();
        return new Batch(range, events, parked, recordedLater, System.nanoTime());
    }

    /** Calls the handler; if it succeeds, {@link Ledger} writes the settlement, for a transactional listener in its transaction. */
    HandlingResult handle(Batch batch) throws InterruptedException {
        Settlement settlement = batch.recordedLater()
                ? Settlement.NONE
                : Settlement.of(progress.cursor()
                                .deliveryTo(batch.range().to(), batch.events().size()))
                        .parking(batch.parked());
        parts.report.pickedUp(batch.events());
        return parts.invoker.handle(batch.events(), settlement);
    }

    /** Follows the result: moves the cursor, sets an event back, or halves the next batch. */
    void settle(Batch batch, HandlingResult result) {
        List<LogEvent> events = batch.events();
        if (result instanceof Delivered) {
            parts.batchSize.succeeded(events.size(), System.nanoTime() - batch.began());
            if (batch.recordedLater()) {
                progress.sent(batch.range(), events);
            } else {
                settled(batch, batch.range().to(), events);
            }
        } else if (result instanceof Failed failed) {
            parts.destination.responded();
            if (progress.setBack(events.get(failed.handled()), 1, failed)) {
                settleSent(batch, failed.handled());
            }
        } else if (result instanceof FailedInBatch failed) {
            parts.destination.responded();
            parts.batchSize.halve(events.size());
            parts.report.halved(events, failed.error());
        } else if (result instanceof PartlyTaken partly) {
            parts.batchSize.succeeded(partly.handled(), System.nanoTime() - batch.began());
            settleSent(batch, partly.handled());
        } else if (result instanceof Unavailable unavailable) {
            settleSent(batch, unavailable.handled());
            parts.destination.unavailable(unavailable);
        } else if (result instanceof NotRecorded notRecorded) {
            throw notRecorded.error();
        } else {
            progress.ownershipLost();
        }
    }

    /** What a relay sent before it failed has arrived, so that it is settled. Effects of a transactional listener are rolled back. */
    private void settleSent(Batch batch, int handled) {
        long to = batch.events().get(handled).position() - 1;
        if (parts.listener.isTransactional() || to == progress.cursor().position()) {
            return;
        }
        List<LogEvent> sent = batch.events().subList(0, handled);
        List<LogEvent> parked =
                batch.parked().stream().filter(event -> event.position() <= to).toList();
        Settlement settlement =
                Settlement.of(progress.cursor().deliveryTo(to, sent.size())).parking(parked);
        if (parts.ledger.settle(settlement)) {
            settled(batch, to, sent);
        } else {
            progress.ownershipLost();
        }
    }

    private void settled(Batch batch, long to, List<LogEvent> events) {
        progress.deliveredTo(to, events, 1, batch.began());
        if (!batch.parked().isEmpty()) {
            retries.schedule(to);
        }
    }
}
