package io.postrider.internal.listen;

import io.postrider.Handler;
import io.postrider.LogEvent;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.HandlerFailedException;
import io.postrider.internal.db.HandlerTransaction;
import io.postrider.internal.db.TransactionMarker;
import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.OwnershipLost;
import java.util.List;

/** Calls a transactional handler and settles in the same transaction, so that its effects and the cursor commit together. */
final class TransactionalInvoker implements HandlerInvoker {
    private static final int UNKNOWN = -1;

    private final Database database;
    private final Handler handler;
    private final Ledger ledger;
    private final Tenure tenure;

    TransactionalInvoker(Database database, Handler handler, Ledger ledger, Tenure tenure) {
        this.database = database;
        this.handler = handler;
        this.ledger = ledger;
        this.tenure = tenure;
    }

    @Override
    public HandlingResult handle(List<LogEvent> events, Settlement settlement) throws InterruptedException {
        int[] at = {UNKNOWN};
        try {
            return HandlerTransaction.run(database, TransactionMarker.ofListener(tenure.row()), transaction -> {
                call(handler, transaction, events, at);
                at[0] = UNKNOWN; // if the settlement or the commit fails, halving the batch finds the event at fault
                if (!ledger.settleIn(transaction, settlement)) {
                    throw new NotOursException();
                }
                return new Delivered();
            });
        } catch (NotOursException e) {
            return new OwnershipLost();
        } catch (HandlerFailedException e) {
            HandlingResult.rethrowUnlessByEvent(e.reason());
            return at[0] == UNKNOWN
                    ? HandlingResult.ofThrown(e.reason(), events.size())
                    : new Failed(at[0], e.reason());
        }
    }

    /**
     * Calls the handler for these events. {@code at} becomes the index of the one that it is called for, if it takes single events.
     * Checks the transaction after each event; otherwise the next event would be blamed for what this one did.
     */
    static void call(Handler handler, HandlerTransaction transaction, List<LogEvent> events, int[] at) {
        if (handler instanceof Handler.TransactionalBatch batch) {
            if (!events.isEmpty()) {
                transaction.call(connection -> {
                    batch.handle(connection, events);
                    return true;
                });
                transaction.requireCommittable();
            }
            return;
        }
        Handler.Transactional each = (Handler.Transactional) handler;
        for (LogEvent event : events) {
            at[0]++;
            transaction.call(connection -> {
                each.handle(connection, event);
                return true;
            });
            transaction.requireCommittable();
        }
    }
}
