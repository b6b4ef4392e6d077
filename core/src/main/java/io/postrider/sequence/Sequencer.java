package io.postrider.sequence;

import io.postrider.db.Bind;
import io.postrider.db.Line;
import io.postrider.db.Sql;
import io.postrider.log.Heads;
import io.postrider.log.Pass;
import io.postrider.wake.Wire;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives committed events their positions, pass by pass, and sleeps when there is nothing to do. Any node can be it; the lock
 * inside a pass is the safety, leadership only saves work.
 *
 * <p>The idle lock is what lets it sleep without slowing producers: each of them takes it shared, until its transaction has
 * ended, in the default of {@code event.wake}. Who cannot get it knows that the sequencer sleeps, and notifies.
 *
 * <pre>
 * STANDBY  another node leads. Passes once in every poll, in case that node hangs, and tries to become leader.
 *          Leaves to AWAKE with leadership. A crash here leaves nothing.
 * AWAKE    passes again and again, with a gap in which about 64 events come together, but of 1 ms at least and 10 ms at
 *          most: a pass and the deliveries that follow it cost 1 ms of a core, be it for one event or for 64. When they
 *          come too rarely for a gap to gather any (400 a second), it looks again after 1 ms.
 *          Leaves when some passes in a row found nothing: to ASLEEP if it gets the idle lock, else to DOZING.
 *          A crash here leaves events without a position until another node's next poll: at most a second.
 * DOZING   somebody's open transaction has emitted and holds the idle lock, or there is nobody to notify us. Looks again
 *          after 1 ms, doubled up to 25 ms. Leaves to AWAKE when it finds something.
 * ASLEEP   holds the idle lock and has looked once more after it got it. One pass for each notification, keeping the
 *          lock, because giving it back and getting it again costs more than a rare event's notification. Leaves to AWAKE
 *          when events are rare no more. A crash here frees the lock with the connection.
 * </pre>
 */
public final class Sequencer implements Wire.Task {
    private static final Logger log = LoggerFactory.getLogger(Sequencer.class);
    private static final Sql SEQUENCE = Sql.file("sequence/sequence");
    private static final Sql TRY_LEAD =
            Sql.text("try_lead", "select pg_try_advisory_lock('postrider.event'::regclass::oid::int4, 3) as got");
    private static final Sql TRY_IDLE =
            Sql.text("try_idle", "select pg_try_advisory_lock('postrider.event'::regclass::oid::int4, 1) as got");
    private static final Sql LEAVE_IDLE =
            Sql.text("leave_idle", "select pg_advisory_unlock('postrider.event'::regclass::oid::int4, 1) as got");
    private static final Duration SHORTEST_GAP = Duration.ofMillis(1);
    private static final Duration LONGEST_GAP = Duration.ofMillis(10);

    /** Events worth a pass. With 32 producers at 8,000/s on two cores, passing every 2 ms took a quarter of their rate. */
    private static final int WORTH_A_PASS = 64;

    private static final Duration LONGEST_DOZE = Duration.ofMillis(25);
    private static final Duration FOR_LONG = Duration.ofMinutes(5);

    /** So many looks without a find, 1 ms apart, before it tries to sleep: a burst has pauses. */
    private static final int LOOKS_BEFORE_SLEEP = 3;

    /**
     * Up to here each event is worth a pass of its own, and being woken is cheaper than being awake: four in the longest gap
     * are not worth waiting for. A chat with 100 messages a second waited 5 ms of its 7 in gaps that gathered one.
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
    private final boolean sleeps;
    private final Watch watch;
    private volatile State state = State.STANDBY;
    private int looks;
    private final Rate rate = new Rate();
    private long nextAt = System.nanoTime();
    private Duration doze = SHORTEST_GAP;

    /** @param sleeps whether it may sleep until it is notified; if not, it looks again every 25 ms at the latest */
    public Sequencer(Heads heads, int passSize, boolean sleeps, Watch watch) {
        this.heads = heads;
        this.passSize = passSize;
        this.sleeps = sleeps;
        this.watch = watch;
    }

    @Override
    public void connected(Line line) {
        heads.reload(line.session());
        enter(State.STANDBY);
    }

    @Override
    public void lost() {
        heads.lost();
        enter(State.STANDBY);
    }

    @Override
    public Duration turn(Line line, Wire.Turn turn) {
        if (turn.heardLog() || turn.poll()) {
            heads.refresh(line.session());
        }
        return switch (state) {
            case STANDBY -> standBy(line, turn);
            case AWAKE -> inTime(() -> workOn(line));
            case DOZING -> inTime(() -> look(line));
            case ASLEEP -> sleepOn(line, turn);
        };
    }

    /** A turn may come early, for somebody else's sake: by a notification, at least that of our own last pass. */
    private Duration inTime(Supplier<Duration> step) {
        long early = nextAt - System.nanoTime();
        if (early > 0) {
            return Duration.ofNanos(early);
        }
        Duration next = step.get();
        nextAt = System.nanoTime() + next.toNanos();
        return next;
    }

    private Duration standBy(Line line, Wire.Turn turn) {
        if (line.isPooled()) {
            enter(State.DOZING); // nothing lasts on a pooled line, so nobody leads: every node looks
            return Duration.ZERO;
        }
        if (!turn.poll()) {
            return FOR_LONG;
        }
        if (got(line, TRY_LEAD)) {
            enter(State.AWAKE);
            return Duration.ZERO;
        }
        pass(line);
        return FOR_LONG;
    }

    private Duration workOn(Line line) {
        Optional<Result> found = pass(line);
        if (found.isPresent()) {
            looks = 0;
            return gap(found.get());
        }
        if (++looks < LOOKS_BEFORE_SLEEP) {
            return SHORTEST_GAP;
        }
        return fallAsleep(line) ? FOR_LONG : doze();
    }

    private Duration look(Line line) {
        if (pass(line).isPresent()) {
            enter(line.isPooled() ? State.DOZING : State.AWAKE);
            return SHORTEST_GAP;
        }
        return fallAsleep(line) ? FOR_LONG : doze();
    }

    private Duration doze() {
        if (state != State.DOZING) {
            enter(State.DOZING);
        }
        Duration now = doze;
        Duration doubled = doze.multipliedBy(2);
        doze = doubled.compareTo(LONGEST_DOZE) < 0 ? doubled : LONGEST_DOZE;
        return now;
    }

    /** Whoever had the idle lock shared has ended, and is visible to a pass that begins after we got it. */
    private boolean fallAsleep(Line line) {
        if (!sleeps || line.isPooled() || !got(line, TRY_IDLE)) {
            return false;
        }
        boolean more = true;
        try {
            more = pass(line).map(Result::more).orElse(false);
        } finally {
            // Also if the pass waited too long for its lock: a lock that stays makes every producer notify.
            if (more) {
                got(line, LEAVE_IDLE);
            }
        }
        if (more) {
            return false;
        }
        enter(State.ASLEEP);
        return true;
    }

    private Duration sleepOn(Line line, Wire.Turn turn) {
        if (!turn.heardEvent() && !turn.poll()) {
            return FOR_LONG;
        }
        Optional<Result> found = pass(line);
        if (rate.perSecond() > RARE_PER_SECOND || found.map(Result::more).orElse(false)) {
            got(line, LEAVE_IDLE);
            enter(State.AWAKE);
            return Duration.ZERO;
        }
        return FOR_LONG;
    }

    private Optional<Result> pass(Line line) {
        long began = System.nanoTime();
        Optional<Result> result = line.session()
                .one(
                        SEQUENCE,
                        bind -> bind.int4("most", passSize),
                        row -> new Result(Pass.read(row), row.int8("events"), row.bool("more")));
        rate.came(result.map(Result::events).orElse(0L));
        result.ifPresent(found -> {
            heads.moved(found.pass());
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            watch.sequenced(found.events(), took);
            log.debug("pass n={} events={} took={}", found.pass().n(), found.events(), took);
        });
        return result.filter(found -> found.events() > 0 || found.more());
    }

    private static boolean got(Line line, Sql lock) {
        return line.session().one(lock, Bind::nothing, row -> row.bool("got")).orElse(false);
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
        looks = 0;
        doze = SHORTEST_GAP;
        nextAt = System.nanoTime();
    }

    /** What it is doing, for a person who looks. */
    public String state() {
        return state.name();
    }

    private record Result(Pass pass, long events, boolean more) {}
}
