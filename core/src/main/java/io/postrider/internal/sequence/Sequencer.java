package io.postrider.internal.sequence;

import io.postrider.Backoff;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.Pass;
import io.postrider.internal.threads.Deadline;
import io.postrider.internal.wake.NodeConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives committed events their positions, pass by pass, and sleeps when there is nothing to do. Any node can be the sequencer. The
 * lock inside a pass makes it safe; leadership only saves work.
 *
 * <p>The idle lock lets it sleep without slowing producers: each producer takes it shared until the end of its transaction, in the
 * default of {@code event.wake}. A producer that cannot get it knows that the sequencer sleeps, and notifies.
 *
 * <pre>
 * STANDBY  another node leads. Tries to become the leader once a second, and makes one pass in every poll, in case that node
 *          hangs. Leaves to AWAKE with leadership. A crash here leaves nothing.
 * AWAKE    makes pass after pass, with a gap in which about 64 events gather, of at least 1 ms and at most 10 ms: a pass and the
 *          deliveries that follow it cost 1 ms of a core, for one event as for 64. When events are too rare to gather in a gap
 *          (400 per second), it checks again after 1 ms. Leaves when some passes in a row have found nothing: to ASLEEP if it
 *          gets the idle lock, otherwise to DOZING. A crash here leaves events without a position until another node leads:
 *          at most a second.
 * DOZING   an open transaction has emitted and holds the idle lock, or notifications do not reach this node. Checks again after
 *          1 ms, doubled up to 25 ms. Leaves to AWAKE when it finds events.
 * ASLEEP   holds the idle lock and has checked again after it got it. Makes one pass for each notification and keeps the lock:
 *          releasing and acquiring it costs more than the notification of a rare event. Leaves to AWAKE when events are no
 *          longer rare. A crash here releases the lock with the connection.
 * </pre>
 */
public final class Sequencer implements NodeConnection.Task {
    private static final Logger log = LoggerFactory.getLogger(Sequencer.class);
    private static final Sql SEQUENCE = Sql.file("sequence/sequence");
    private static final Sql TRY_LEAD = Sql.text(
            "sequence/try_lead", "select pg_try_advisory_lock('postrider.event'::regclass::oid::int4, 3) as got");
    private static final Sql TRY_IDLE = Sql.text(
            "sequence/try_idle", "select pg_try_advisory_lock('postrider.event'::regclass::oid::int4, 1) as got");
    private static final Sql LEAVE_IDLE = Sql.text(
            "sequence/leave_idle", "select pg_advisory_unlock('postrider.event'::regclass::oid::int4, 1) as got");
    private static final Duration SHORTEST_GAP = Duration.ofMillis(1);
    private static final Duration LONGEST_GAP = Duration.ofMillis(10);

    /** Events worth a pass. With 32 producers at 8,000/s on two cores, a pass every 2 ms cost a quarter of their rate. */
    private static final int WORTH_A_PASS = 64;

    private static final Backoff DOZE = new Backoff(SHORTEST_GAP, Duration.ofMillis(25));
    private static final Duration UNTIL_NOTIFIED = Duration.ofMinutes(5);

    /** Passes without events, 1 ms apart, before it tries to sleep: a burst has pauses. */
    private static final int EMPTY_PASSES_BEFORE_SLEEP = 3;

    /**
     * Up to this rate each event is worth a pass of its own, and being woken is cheaper than staying awake: four events in the longest
     * gap are not worth the wait. Of the 7 ms that a chat message took at 100 messages per second, 5 ms were gaps that gathered
     * one event.
     */
    private static final double RARE_PER_SECOND = 400;

    enum State {
        STANDBY,
        AWAKE,
        DOZING,
        ASLEEP
    }

    private final Heads heads;
    private final int passSize;
    private final boolean maySleep;
    private final Watch watch;
    private volatile State state = State.STANDBY;
    private int emptyPasses;
    private final EventRate rate = new EventRate();
    private Deadline nextStep = Deadline.now();
    private int dozes; // in a row

    /** @param maySleep whether it may sleep until it is notified; if not, it checks every 25 ms at the latest */
    public Sequencer(Heads heads, int passSize, boolean maySleep, Watch watch) {
        this.heads = heads;
        this.passSize = passSize;
        this.maySleep = maySleep;
        this.watch = watch;
    }

    @Override
    public void connected(ListenConnection connection) {
        heads.reload(connection.session());
        enter(State.STANDBY);
    }

    @Override
    public void lost() {
        heads.lost();
        enter(State.STANDBY);
    }

    @Override
    public Duration turn(ListenConnection connection, NodeConnection.Turn turn) {
        if (turn.heardLog() || turn.poll()) {
            heads.refresh(connection.session());
        }
        return switch (state) {
            case STANDBY -> standBy(connection, turn);
            case AWAKE -> whenDue(() -> passAwake(connection));
            case DOZING -> whenDue(() -> passDozing(connection));
            case ASLEEP -> passAsleep(connection, turn);
        };
    }

    /** A turn may come early, because of a notification for another task or of our own last pass. */
    private Duration whenDue(Supplier<Duration> step) {
        long early = nextStep.nanosLeft();
        if (early > 0) {
            return Duration.ofNanos(early);
        }
        Duration next = step.get();
        nextStep = Deadline.in(next);
        return next;
    }

    private Duration standBy(ListenConnection connection, NodeConnection.Turn turn) {
        if (connection.isPooled()) {
            enter(State.DOZING); // a pooled connection keeps no lock, so no node leads: every node makes passes
            return Duration.ZERO;
        }
        if (!turn.check()) {
            return UNTIL_NOTIFIED;
        }
        if (acquire(connection, TRY_LEAD)) {
            enter(State.AWAKE);
            return Duration.ZERO;
        }
        if (turn.poll()) {
            pass(connection);
        }
        return UNTIL_NOTIFIED;
    }

    private Duration passAwake(ListenConnection connection) {
        Optional<Result> found = pass(connection);
        if (found.isPresent()) {
            emptyPasses = 0;
            return gap(found.get());
        }
        if (++emptyPasses < EMPTY_PASSES_BEFORE_SLEEP) {
            return SHORTEST_GAP;
        }
        return fallAsleep(connection) ? UNTIL_NOTIFIED : doze();
    }

    private Duration passDozing(ListenConnection connection) {
        if (pass(connection).isPresent()) {
            enter(connection.isPooled() ? State.DOZING : State.AWAKE);
            return SHORTEST_GAP;
        }
        return fallAsleep(connection) ? UNTIL_NOTIFIED : doze();
    }

    private Duration doze() {
        if (state != State.DOZING) {
            enter(State.DOZING);
        }
        dozes++;
        return DOZE.exact(dozes);
    }

    /** Transactions that held the idle lock have ended, and a pass that begins after we got the lock sees their events. */
    private boolean fallAsleep(ListenConnection connection) {
        if (!maySleep || !connection.isListening() || !acquire(connection, TRY_IDLE)) {
            return false;
        }
        boolean more = true;
        try {
            more = pass(connection).map(Result::more).orElse(false);
        } finally {
            // Also if the pass waited too long for its lock: while we hold the idle lock, every producer notifies.
            if (more) {
                release(connection, LEAVE_IDLE);
            }
        }
        if (more) {
            return false;
        }
        enter(State.ASLEEP);
        return true;
    }

    private Duration passAsleep(ListenConnection connection, NodeConnection.Turn turn) {
        if (!connection.isListening()) { // no notification can wake us
            release(connection, LEAVE_IDLE);
            enter(State.AWAKE);
            return Duration.ZERO;
        }
        if (!turn.heardEvent() && !turn.poll()) {
            return UNTIL_NOTIFIED;
        }
        Optional<Result> found = pass(connection);
        if (rate.perSecond() > RARE_PER_SECOND || found.map(Result::more).orElse(false)) {
            release(connection, LEAVE_IDLE);
            enter(State.AWAKE);
            return Duration.ZERO;
        }
        return UNTIL_NOTIFIED;
    }

    private Optional<Result> pass(ListenConnection connection) {
        long began = System.nanoTime();
        Optional<Result> result = connection
                .session()
                .one(
                        SEQUENCE,
                        bind -> bind.int4("most", passSize),
                        row -> new Result(
                                row.int8("n"),
                                row.textOrNull("topics") == null ? null : Pass.read(row),
                                row.int8("events"),
                                row.bool("more")));
        rate.add(result.map(Result::events).orElse(0L));
        result.ifPresent(found -> {
            if (found.pass() == null) {
                heads.refresh(connection.session());
            } else {
                heads.moved(found.pass());
            }
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            watch.sequenced(found.events(), took);
            log.debug("pass n={} events={} took={}", found.n(), found.events(), took);
        });
        return result.filter(found -> found.events() > 0 || found.more());
    }

    private static boolean acquire(ListenConnection connection, Sql lock) {
        return connection
                .session()
                .one(lock, Bind::nothing, row -> row.bool("got"))
                .orElse(false);
    }

    private static void release(ListenConnection connection, Sql unlock) {
        connection.session().one(unlock, Bind::nothing, row -> row.bool("got"));
    }

    private Duration gap(Result found) {
        if (found.more()) {
            return Duration.ZERO;
        }
        if (rate.perSecond() <= RARE_PER_SECOND) {
            return SHORTEST_GAP;
        }
        Duration gap = Duration.ofNanos((long) (WORTH_A_PASS / rate.perSecond() * 1e9));
        if (gap.compareTo(SHORTEST_GAP) < 0) {
            return SHORTEST_GAP;
        }
        return gap.compareTo(LONGEST_GAP) < 0 ? gap : LONGEST_GAP;
    }

    private void enter(State next) {
        if (state != next) {
            log.debug("sequencer {} -> {}", state, next);
        }
        state = next;
        emptyPasses = 0;
        dozes = 0;
        nextStep = Deadline.now();
    }

    /** For operators. */
    public String state() {
        return state.name();
    }

    /** @param pass null if it moved too many topics for the answer */
    private record Result(long n, @Nullable Pass pass, long events, boolean more) {}
}
