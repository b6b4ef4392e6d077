package io.postrider.listen;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.Receipt;
import io.postrider.db.Bind;
import io.postrider.db.CommitRefusedException;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.db.SqlState;
import io.postrider.listen.Fate.Delivered;
import io.postrider.listen.Fate.Failed;
import io.postrider.listen.Fate.Lost;
import io.postrider.listen.Fate.OneOfThem;
import io.postrider.listen.Fate.Partly;
import io.postrider.listen.Fate.Unavailable;
import io.postrider.listen.Fate.Unnoted;
import io.postrider.relay.Sender;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler for some events and then settles them: in one transaction for a transactional listener, one after the
 * other for a relay. To settle is to write the delivery, clear a setback, or both: the caller says.
 */
final class Performer {
    private static final Sql MARK = Sql.file("listen/mark");
    private static final Sql TENURE =
            Sql.call("tenure", "select pg_catalog.current_setting('postrider.tenure', true) as tenure");

    /** What deliver() says of a transaction without its mark. */
    private static final String ANOTHER = "PR005";

    private final Database database;
    private final Handler handler;
    private final boolean transactional;
    private final int concurrency;
    private final ExecutorService threads;
    private final @Nullable Sender sender;
    private long tenure;

    Performer(Database database, Listener listener, ExecutorService threads) {
        this.database = database;
        this.handler = listener.handler();
        this.transactional = listener.isTransactional();
        this.concurrency = listener.concurrency();
        this.threads = threads;
        this.sender = handler instanceof Handler.ToSink to ? new Sender(to.sink()) : null;
    }

    /** Who sends, if it is a relay to a sink. */
    Optional<Sender> sender() {
        return Optional.ofNullable(sender);
    }

    /** Which tenure the transactions belong to from now on. */
    void serve(long tenureRow) {
        tenure = tenureRow;
    }

    /** Writes what was done; false if the listener is not ours any more, and then the transaction is rolled back. */
    interface Settlement {
        boolean settle(Session session);
    }

    Fate perform(List<LogEvent> events, Settlement settlement) throws InterruptedException {
        return transactional ? together(events, settlement) : apart(events, settlement);
    }

    private Fate together(List<LogEvent> events, Settlement settlement) throws InterruptedException {
        int[] at = {-1};
        try {
            database.handlerTransaction(session -> {
                session.call(MARK, bind -> bind.int8("tenure", tenure));
                handle(session, events, at);
                if (!settle(settlement, session, at)) {
                    throw new LostException();
                }
                return true;
            });
            return new Delivered();
        } catch (LostException e) {
            return new Lost();
        } catch (HandlerException e) {
            return failed(events, at[0], e.getCause());
        } catch (CommitRefusedException e) {
            return failed(events, -1, e.reason()); // halving finds the event at fault
        }
    }

    private static boolean settle(Settlement settlement, Session session, int[] at) {
        try {
            return settlement.settle(session);
        } catch (PostriderException e) {
            if (!SqlState.of(e).equals(ANOTHER)) {
                throw e;
            }
            at[0] = -1; // one of them: which, is found by halving
            throw new HandlerException(endedByHandler());
        }
    }

    /** Refuses a transaction that is not the one the handler was given. deliver() looks itself; this is for the others. */
    void refuseAnother(Session session) {
        if (transactional
                && !session.one(
                                TENURE,
                                Bind::nothing,
                                row -> Long.toString(tenure).equals(row.textOrNull("tenure")))
                        .orElse(false)) {
            throw new HandlerException(endedByHandler());
        }
    }

    private static SQLException endedByHandler() {
        return new SQLException("the handler has ended the transaction by a statement of its own: what it did before is"
                + " not bound to the cursor any more. Leave commit and rollback to Postrider");
    }

    private void handle(Session session, List<LogEvent> events, int[] at) {
        Connection connection = session.handlerConnection();
        try {
            if (handler instanceof Handler.TransactionalBatch batch) {
                if (!events.isEmpty()) {
                    batch.handle(connection, events);
                    session.flush();
                    refuseEnded(session);
                }
                return;
            }
            for (LogEvent event : events) {
                at[0]++;
                ((Handler.Transactional) handler).handle(connection, event);
                session.flush();
                refuseEnded(session);
            }
        } catch (Throwable e) {
            throw new HandlerException(e);
        }
    }

    /** Or the next event would be blamed for it, or nobody: the settlement could only fail, for ever. */
    private static void refuseEnded(Session session) throws SQLException {
        if (!session.isOpen()) {
            throw endedByHandler();
        }
        if (session.isAborted()) {
            throw new SQLException(
                    "the handler swallowed a database error: its transaction is aborted and cannot commit."
                            + " Throw the error, or roll back to a savepoint");
        }
    }

    private Fate apart(List<LogEvent> events, Settlement settlement) throws InterruptedException {
        Fate fate = send(events);
        if (!(fate instanceof Delivered)) {
            return fate;
        }
        try {
            return settle(settlement) ? new Delivered() : new Lost();
        } catch (RuntimeException e) {
            return new Unnoted(e);
        }
    }

    /** For a relay: settles nothing. */
    Fate send(List<LogEvent> events) throws InterruptedException {
        int[] at = {-1};
        try {
            return outside(events, at);
        } catch (Throwable e) {
            return failed(events, at[0], e);
        }
    }

    /** In a transaction of its own; if the listener is not ours any more, nothing of it is written. */
    boolean settle(Settlement settlement) {
        try {
            return undisturbed(() -> database.transaction(session -> {
                if (!settlement.settle(session)) {
                    throw new LostException();
                }
                return true;
            }));
        } catch (LostException e) {
            return false;
        }
    }

    /** What was done is written down also by one who was told to end meanwhile: a pool gives no connection to an interrupted thread. */
    static <T> T undisturbed(Supplier<T> work) {
        boolean interrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Fate outside(List<LogEvent> events, int[] at) throws Exception {
        if (handler instanceof Handler.RelayBatch batch) {
            if (!events.isEmpty()) {
                batch.handle(events);
            }
            return new Delivered();
        }
        if (sender != null) {
            return events.isEmpty() ? new Delivered() : toSink(sender, events);
        }
        Handler.Relay relay = (Handler.Relay) handler;
        if (concurrency > 1 && events.size() > 1) {
            return inLanes(events, lane -> inLane(relay, lane), () -> false);
        }
        for (LogEvent event : events) {
            at[0]++;
            relay.handle(event);
        }
        return new Delivered();
    }

    private Fate toSink(Sender to, List<LogEvent> events) throws Exception {
        if (concurrency == 1 || events.size() == 1) {
            return fate(to.send(events));
        }
        long began = System.nanoTime();
        return inLanes(events, lane -> fate(to.send(lane)), () -> System.nanoTime() - began > Pace.LONGEST);
    }

    private static Fate fate(Receipt receipt) {
        Throwable error = receipt.error();
        if (error == null) {
            return receipt.isWhole() ? new Delivered() : new Partly(receipt.taken());
        }
        Duration notBefore = receipt.retryAfter() == null ? Duration.ZERO : receipt.retryAfter();
        return receipt.isUnavailable()
                ? new Unavailable(receipt.taken(), error, notBefore)
                : new Failed(receipt.taken(), error, notBefore);
    }

    /** What one lane does with its events; what it gives counts those of the lane. */
    private interface Lane {
        Fate ride(List<LogEvent> events) throws Exception;
    }

    /** A lane for each key, so that events of one key stay in order; those without a key have a lane each. */
    private Fate inLanes(List<LogEvent> events, Lane work, BooleanSupplier isEnough) throws InterruptedException {
        Map<Object, List<Integer>> lanes = new LinkedHashMap<>();
        for (int i = 0; i < events.size(); i++) {
            Object lane =
                    events.get(i).key() == null ? (Object) i : events.get(i).key();
            lanes.computeIfAbsent(lane, key -> new ArrayList<>()).add(i);
        }
        Semaphore free = new Semaphore(concurrency);
        List<Future<?>> running = new ArrayList<>();
        First first = new First();
        for (List<Integer> lane : lanes.values()) {
            free.acquire();
            if (first.wantsNoMore() || isEnough.getAsBoolean()) {
                // This lane and those behind it come again; what has arrived of the others is known.
                first.cut(lane.get(0));
                break;
            }
            Runnable ride = () -> {
                try {
                    first.note(lane, ride(work, lane.stream().map(events::get).toList()));
                } finally {
                    free.release();
                }
            };
            try {
                running.add(threads.submit(ride));
            } catch (RejectedExecutionException e) {
                ride.run(); // the node is closing: what was begun is finished
            }
        }
        for (Future<?> lane : running) {
            try {
                lane.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a lane failed outside its handler", e.getCause());
            }
        }
        if (first.fate instanceof Failed failed) {
            refuseBlame(failed.error());
        } else if (first.fate instanceof OneOfThem some) {
            refuseBlame(some.error());
        }
        return first.fate;
    }

    private static Fate ride(Lane work, List<LogEvent> events) {
        try {
            return work.ride(events);
        } catch (Throwable e) {
            return events.size() == 1 ? new Failed(0, e) : new OneOfThem(e);
        }
    }

    private static Fate inLane(Handler.Relay relay, List<LogEvent> events) {
        for (int i = 0; i < events.size(); i++) {
            try {
                relay.handle(events.get(i));
            } catch (Throwable e) {
                return new Failed(i, e);
            }
        }
        return new Delivered();
    }

    /** Of what went wrong in lanes, what concerns the first event: all before it were handled, and the others come again. */
    private static final class First {
        private Fate fate = new Delivered();
        private int handled = Integer.MAX_VALUE;
        private @Nullable Unavailable away;
        private boolean enough;

        synchronized boolean wantsNoMore() {
            return enough;
        }

        synchronized void note(List<Integer> lane, Fate what) {
            if (what instanceof Failed failed) {
                int at = lane.get(failed.handled());
                place(at, new Failed(at, failed.error(), failed.notBefore()));
            } else if (what instanceof OneOfThem) {
                place(lane.get(0), what);
            } else if (what instanceof Unavailable gone) {
                int at = lane.get(gone.handled());
                away = away == null ? gone : away;
                enough = true;
                place(at, new Unavailable(at, gone.error(), gone.notBefore()));
            } else if (what instanceof Partly some) {
                enough = true;
                place(lane.get(some.handled()), new Partly(lane.get(some.handled())));
            }
        }

        /** What is at this index and behind it in lanes that were not begun is not handled, whatever a later index says. */
        synchronized void cut(int at) {
            place(at, away == null ? new Partly(at) : new Unavailable(at, away.error(), away.notBefore()));
        }

        private void place(int at, Fate what) {
            if (at < handled) {
                handled = at;
                fate = what;
            }
        }
    }

    /** An interrupt is not the event's fault, nor is a virtual machine that is giving up. */
    private static void refuseBlame(Throwable error) throws InterruptedException {
        if (error instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        if (error instanceof VirtualMachineError fatal && !(error instanceof StackOverflowError)) {
            throw fatal;
        }
    }

    private static Fate failed(List<LogEvent> events, int at, Throwable error) throws InterruptedException {
        refuseBlame(error);
        if (at < 0 && events.size() != 1) {
            return new OneOfThem(error);
        }
        return new Failed(Math.max(0, at), error);
    }

    /** Carries the handler's exception out of the transaction. */
    private static final class HandlerException extends RuntimeException {
        private static final long serialVersionUID = 1;

        HandlerException(Throwable cause) {
            super(cause);
        }

        @Override
        public synchronized Throwable getCause() {
            Throwable cause = super.getCause();
            return cause == null ? this : cause;
        }
    }

    /** Rolls the transaction back. */
    private static final class LostException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
