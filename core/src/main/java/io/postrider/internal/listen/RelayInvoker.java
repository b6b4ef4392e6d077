package io.postrider.internal.listen;

import io.postrider.Handler;
import io.postrider.LogEvent;
import io.postrider.UnavailableException;
import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.NotRecorded;
import io.postrider.internal.listen.HandlingResult.OwnershipLost;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls a relay, or sends to its sink, while no transaction is open; then settles in a transaction of its own. */
final class RelayInvoker implements HandlerInvoker {
    private final Handler handler;
    private final @Nullable SinkDestination sink;
    private final KeyGroups groups;
    private final Ledger ledger;

    /** @param sink what it sends to, if the handler is a sink */
    RelayInvoker(Handler handler, @Nullable SinkDestination sink, KeyGroups groups, Ledger ledger) {
        this.handler = handler;
        this.sink = sink;
        this.groups = groups;
        this.ledger = ledger;
    }

    @Override
    public HandlingResult handle(List<LogEvent> events, Settlement settlement) throws InterruptedException {
        HandlingResult result = send(events);
        if (!(result instanceof Delivered) || settlement.isNone()) {
            return result;
        }
        try {
            return ledger.settle(settlement) ? result : new OwnershipLost();
        } catch (RuntimeException e) {
            return new NotRecorded(e);
        }
    }

    private HandlingResult send(List<LogEvent> events) throws InterruptedException {
        if (events.isEmpty()) {
            return new Delivered();
        }
        try {
            if (handler instanceof Handler.RelayBatch batch) {
                batch.handle(events);
                return new Delivered();
            }
            return sink == null ? toRelay((Handler.Relay) handler, events) : toSink(sink, events);
        } catch (UnavailableException e) {
            return new Unavailable(0, e);
        } catch (Throwable e) {
            HandlingResult.rethrowUnlessByEvent(e);
            return HandlingResult.ofThrown(e, events.size());
        }
    }

    private HandlingResult toSink(SinkDestination to, List<LogEvent> events) throws Exception {
        if (!groups.canDivide(events)) {
            return HandlingResult.of(to.send(events));
        }
        long began = System.nanoTime();
        return groups.handle(
                events,
                group -> HandlingResult.of(to.send(group)),
                () -> System.nanoTime() - began > BatchSize.LONGEST_NANOS);
    }

    private HandlingResult toRelay(Handler.Relay relay, List<LogEvent> events) throws InterruptedException {
        if (groups.canDivide(events)) {
            return groups.handle(events, group -> inOrder(relay, group), () -> false);
        }
        HandlingResult result = inOrder(relay, events);
        if (result instanceof Failed failed) {
            HandlingResult.rethrowUnlessByEvent(failed.error());
        }
        return result;
    }

    private static HandlingResult inOrder(Handler.Relay relay, List<LogEvent> events) {
        for (int i = 0; i < events.size(); i++) {
            try {
                relay.handle(events.get(i));
            } catch (UnavailableException e) {
                return new Unavailable(i, e);
            } catch (Throwable e) {
                return new Failed(i, e);
            }
        }
        return new Delivered();
    }
}
