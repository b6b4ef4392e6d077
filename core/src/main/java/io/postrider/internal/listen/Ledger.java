package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.DeadLetter;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.HandlerTransaction;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.listen.Settlement.Cleared;
import io.postrider.internal.listen.Settlement.Delivery;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of one listener: its position and which positions are finished. Every settlement is written here, and
 * {@code deliver()} decides whether it is still this node's to write: of two nodes that both believe they run a listener, one
 * finishes a range and the other rolls back.
 */
final class Ledger {
    private static final Sql DELIVER = Sql.call(
            "listen/deliver",
            "select postrider.deliver(:listener, :from_position, :to_position, :events, :worker, :era, :tenure) as delivered");
    private static final Sql STANDS_AT =
            Sql.call("listen/stands_at", "select postrider.stands_at(:listener, :position, :upto, :era) as stands");
    private static final Sql RECORD_SHADOW = Sql.file("listen/record_shadow");
    private static final Sql ENTER_SHADOW =
            Sql.call("listen/enter_shadow", "select postrider.enter_shadow(:listener, :position) as entered");
    private static final Sql LISTENER = Sql.file("listen/listener");

    private final Database database;
    private final String listener;
    private final String node;
    private final Tenure tenure;
    private final Setbacks setbacks;

    Ledger(Database database, String listener, String node, Tenure tenure, Setbacks setbacks) {
        this.database = database;
        this.listener = listener;
        this.node = node;
        this.tenure = tenure;
        this.setbacks = setbacks;
    }

    ListenerState state(Session session) {
        return session.one(
                        LISTENER,
                        bind -> bind.text("listener", listener),
                        row -> new ListenerState(
                                row.int8("cursor"),
                                row.int4("era"),
                                row.int8("course"),
                                row.int4("unavailable_tries"),
                                Duration.ofMillis(row.int8("unavailable_millis")),
                                row.int8("shadow_upto")))
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND, "listener " + listener + " no longer exists in the database"));
    }

    // ── settlements ─────────────────────────────────────────────────────────────────────────────────────────────────

    /** Settles in a transaction of its own. False if the listener is not ours any more; then nothing is written. */
    boolean settle(Settlement settlement) {
        try {
            return Uninterrupted.run(() -> database.transaction(session -> {
                if (!write(session, settlement, null)) {
                    throw new NotOursException();
                }
                return true;
            }));
        } catch (NotOursException e) {
            return false;
        }
    }

    /**
     * Settles in the transaction in which the handler was called. False if the listener is not ours any more; then the caller must
     * roll back.
     */
    boolean settleIn(HandlerTransaction transaction, Settlement settlement) {
        if (settlement.delivery() == null) {
            transaction.requireMarked(); // deliver() checks it otherwise
        }
        return write(transaction.session(), settlement, tenure.row());
    }

    /** @param inTenure the marker of the handler's transaction; null in a transaction of ours */
    private boolean write(Session session, Settlement settlement, @Nullable Long inTenure) {
        settlement.park().forEach(event -> setbacks.park(session, event));
        Cleared cleared = settlement.cleared();
        if (cleared != null && !setbacks.clear(session, cleared.position(), cleared.attempt())) {
            return false;
        }
        Delivery delivery = settlement.delivery();
        ShadowRecord shadow = settlement.shadow();
        if (delivery == null) {
            return true;
        }
        return shadow == null ? deliver(session, delivery, inTenure) : recordShadow(session, delivery, shadow);
    }

    private boolean recordShadow(Session session, Delivery delivery, ShadowRecord shadow) {
        return session.one(
                        RECORD_SHADOW,
                        bind -> bind.text("listener", listener)
                                .int8("from_position", delivery.from())
                                .int8("to_position", delivery.to())
                                .int8s("positions", shadow.positions())
                                .uuids("events", shadow.events())
                                .int8s("messages", shadow.messages())
                                .int8s("payloads", shadow.payloads())
                                .int8s("failed", shadow.failures().keySet())
                                .texts("errors", shadow.failures().values())
                                .text("worker", node)
                                .int4("era", delivery.era()),
                        row -> row.bool("recorded"))
                .orElse(false);
    }

    /** Enters shadow at the cursor, as an operator has requested. False if the cursor is elsewhere or the request is gone. */
    boolean enterShadow(Cursor cursor) {
        return database.transaction(session -> session.one(
                        ENTER_SHADOW,
                        bind -> bind.text("listener", listener).int8("position", cursor.position()),
                        row -> row.bool("entered"))
                .orElse(false));
    }

    private boolean deliver(Session session, Delivery delivery, @Nullable Long inTenure) {
        return session.one(
                        DELIVER,
                        bind -> bind.text("listener", listener)
                                .int8("from_position", delivery.from())
                                .int8("to_position", delivery.to())
                                .int4("events", delivery.events())
                                .text("worker", node)
                                .int4("era", delivery.era())
                                .int8OrNull("tenure", inTenure),
                        row -> row.bool("delivered"))
                .orElse(false);
    }

    /**
     * A setback without attempts left becomes a dead letter, in the transaction in which the cursor moves past it. Empty if the
     * setback is gone or another attempt has begun.
     *
     * @param delivery null if the cursor has passed it before
     */
    Optional<DeadLetter> bury(long position, int attempt, @Nullable Delivery delivery) {
        return database.transaction(session -> {
            Optional<DeadLetter> letter = setbacks.bury(session, position, attempt);
            if (letter.isPresent() && delivery != null && !deliver(session, delivery, null)) {
                throw new PostriderException(Kind.CONFLICT, "listener " + listener + " was moved by another node");
            }
            return letter;
        });
    }

    // ── attempts at the event after the cursor ──────────────────────────────────────────────────────────────────────

    /** Counts an attempt at an event after the cursor before it is made. Empty if the listener is not ours any more. */
    Optional<Integer> beginAttempt(Cursor cursor, LogEvent event) {
        return database.transaction(session ->
                isAt(session, cursor, event) ? Optional.of(setbacks.beginAttempt(session, event)) : Optional.empty());
    }

    /** Writes that an attempt at an event after the cursor has failed. False if the listener is not ours any more. */
    boolean setBack(Cursor cursor, LogEvent event, int attempt, Duration wait, Throwable error) {
        return database.transaction(session -> {
            if (!isAt(session, cursor, event)) {
                return false;
            }
            setbacks.setBack(session, event, attempt, wait, error);
            return true;
        });
    }

    /** Whether the cursor is where we believe and the event is of this log; both stay so until the transaction ends. */
    private boolean isAt(Session session, Cursor cursor, LogEvent event) {
        return session.one(
                        STANDS_AT,
                        bind -> bind.text("listener", listener)
                                .int8("position", cursor.position())
                                .int8("upto", event.position())
                                .int4("era", cursor.era()),
                        row -> row.bool("stands"))
                .orElse(false);
    }
}
