package io.postrider.internal.listen;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.internal.db.Database;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.LogReader;
import io.postrider.internal.relay.Sender;
import io.postrider.internal.shadow.SinkReading;
import org.jspecify.annotations.Nullable;

/** Builds the components of one listener on one node and holds them for its steps. */
final class ListenerComponents {
    final Listener listener;
    final Assignment assignment;
    final Database database;
    final Heads heads;
    final LogReader reader;
    final ReadAhead readAhead;
    final ListenerWait wait;
    final Tenure tenure;
    final Setbacks setbacks;
    final Ledger ledger;
    final Destination destination;
    final HandlerInvoker invoker;
    final Attempts attempts;
    final DeliveryReport report;
    final BatchSize batchSize;

    ListenerComponents(NodeServices node, Listener listener, Assignment assignment) {
        this.listener = listener;
        this.assignment = assignment;
        this.database = node.database();
        this.heads = node.heads();
        this.reader = node.reader();
        this.readAhead = new ReadAhead(listener, reader, heads, node.threads());
        this.wait = new ListenerWait(heads, listener.topic());
        this.tenure = new Tenure(database, listener.name(), node.name());
        this.setbacks = new Setbacks(listener.name(), node.name());
        this.ledger = new Ledger(database, listener.name(), node.name(), tenure, setbacks);
        @Nullable SinkDestination sink = sink(node, listener);
        this.destination = sink == null ? withoutSink(node, listener) : sink;
        this.invoker = listener.isTransactional()
                ? new TransactionalInvoker(database, listener.handler(), ledger, tenure)
                : new RelayInvoker(
                        listener.handler(), sink, new KeyGroups(listener.concurrency(), node.threads()), ledger);
        this.attempts = new Attempts(database, invoker, setbacks);
        this.report = new DeliveryReport(listener, node.reports());
        this.batchSize = new BatchSize(listener.batch(), destination.isSlow());
    }

    private static @Nullable SinkDestination sink(NodeServices node, Listener listener) {
        if (!(listener.handler() instanceof Handler.ToSink to)) {
            return null;
        }
        Availability availability = new Availability(
                node.database(),
                listener.name(),
                to.sink().describe(),
                node.reports().watch());
        SinkReading reading = new SinkReading(node.database(), listener.name(), to.sink(), node.threads());
        return new SinkDestination(node.database(), listener, new Sender(to.sink()), availability, reading);
    }

    private static Destination withoutSink(NodeServices node, Listener listener) {
        return listener.isTransactional()
                ? Destination.NONE
                : new HandlerDestination(new Availability(
                        node.database(),
                        listener.name(),
                        "handler",
                        node.reports().watch()));
    }
}
