package io.postrider.work;

import io.postrider.db.Bind;
import io.postrider.db.Line;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.wake.Wire;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node is called as a worker, for as long as it is known to be alive: by a lock of its wire's session, which is
 * free the moment the process is gone. No row is written to show life. Safe to share.
 *
 * <pre>
 * NONE     before the first connection. Nothing is claimed.
 * WORN     the wire's session holds the lock of our number. Claims are made and settled under it.
 * OVER     somebody has taken it over, though the line stands: it was silent behind a pooler. Leaves with a new number.
 * DROPPED  the line is gone, and the lock with it. Nothing is claimed. What was claimed is done and settled as long as
 *          nobody has taken it over. Leaves when the wire is back: with the same number if it is still free, else with a
 *          new one, and what belonged to the old number is somebody else's.
 * </pre>
 *
 * A server that crashed or was promoted may have lost commits that were confirmed to us: settlements, claims, finished
 * jobs. Then our number is no longer in the table {@code presence}, the server refuses claims under it, and we take a new
 * one. The old number is kept for 5 s, so that running jobs can be settled under it. Then it can be taken over, and jobs that are
 * still open in the database run again.
 *
 * Behind a pooler no session is ours: then the sign of life is a time in our row, written with claims and while they are open.
 */
public final class Badge implements Wire.Task {
    private static final Logger log = LoggerFactory.getLogger(Badge.class);
    private static final Sql ENTER =
            Sql.text("enter", "insert into postrider.worker (node, pooled) values (:node, :pooled) returning id");
    private static final Sql WEAR = Sql.file("work/wear_badge");

    /** The server may have lost numbers that it gave to other workers: the next one must be greater than all of them. */
    private static final Sql SKIP = Sql.text(
            "skip_numbers",
            "select count(nextval(pg_get_serial_sequence('postrider.worker', 'id'))) from generate_series(1, 1000)");

    /** A worker that only changes its number counts as leaving, so that no job is suspected of having ended it. */
    private static final Sql RETIRE =
            Sql.text("retire", "update postrider.worker w set leaving = true where w.id = :worker");

    private static final Sql RELEASE = Sql.text(
            "release_number",
            "select pg_advisory_unlock('postrider.worker'::regclass::oid::int4, (:worker % 2147483647)::int4) as held");
    private static final Sql SIGN = Sql.call("sign", "select postrider.sign(:worker)::pg_catalog.text as signed");
    private static final Sql RETURN =
            Sql.text("return", "update postrider.worker w set seen_at = clock_timestamp() where w.id = :worker");

    /** Others take a worker without a session that has claims for gone when it has been silent for 12 s. */
    private static final Duration SIGN_EVERY = Duration.ofSeconds(3);

    /** So long we wait for our own last session to be gone, before we go on with a new number. */
    private static final Duration HELD_FOR = Duration.ofSeconds(5);

    private static final Duration HELD_AGAIN = Duration.ofMillis(20);

    /** How long an abandoned number is kept for the jobs that still run under it. */
    private static final Duration KEPT_FOR = Duration.ofSeconds(5);

    private final String node;
    private final Runnable changed;
    private final BooleanSupplier busy;
    private final BiConsumer<Session, Long> announce;
    private final LongPredicate holds;

    /** Abandoned numbers whose lock the wire still holds, and until when at the latest. */
    private final Map<Long, Long> retired = new HashMap<>();

    private volatile boolean wanted;
    private long number;
    private boolean pooled;
    private long signedAt;
    private long droppedAt;
    private volatile long worn;

    /**
     * @param changed called when it is worn, and when somebody has steered
     * @param busy whether claims are open
     * @param holds whether this node holds jobs that were claimed under a number
     * @param announce publishes under a new number which queues this node works on
     */
    Badge(
            String node,
            Runnable changed,
            BooleanSupplier busy,
            LongPredicate holds,
            BiConsumer<Session, Long> announce) {
        this.announce = announce;
        this.node = node;
        this.changed = changed;
        this.busy = busy;
        this.holds = holds;
    }

    /** Our number; 0 while nothing may be claimed. */
    long number() {
        return worn;
    }

    /** The server refuses claims under this number: the next turn of the wire finds out why and gets a new number. */
    synchronized void isOver(long refused) {
        if (number == refused) {
            worn = 0;
        }
    }

    /** From now on this node has work to do. Before, it needs no number. */
    synchronized void want() {
        wanted = true;
    }

    @Override
    public synchronized void connected(Line line) {
        if (!wanted) {
            return;
        }
        pooled = line.isPooled();
        String badge = number == 0 ? "ended" : wear(line);
        if (badge.equals("held") && System.nanoTime() - droppedAt < HELD_FOR.toNanos()) {
            return; // our own last session; the next turn tries again
        }
        if (badge.equals("forgotten")) {
            retire(line);
        }
        if (number != 0 && !badge.equals("worn")) {
            line.session().query(SKIP, Bind::nothing, row -> true);
        }
        if (!badge.equals("worn")) {
            number = line.session()
                    .one(ENTER, bind -> bind.text("node", node).bool("pooled", pooled), row -> row.int8("id"))
                    .orElseThrow();
            wear(line);
            announce.accept(line.session(), number);
            log.info("worker_entered worker={} node={}", number, node);
        } else {
            // so that two short absences do not look like a long one
            line.session().update(RETURN, bind -> bind.int8("worker", number));
        }
        worn = number;
        changed.run();
    }

    /** Abandons the number. Behind a pooler there is no lock, so other nodes take it over immediately. */
    private void retire(Line line) {
        line.session().update(RETIRE, bind -> bind.int8("worker", number));
        if (!pooled) {
            retired.put(number, System.nanoTime() + KEPT_FOR.toNanos());
        }
        log.warn(
                "server_changed worker={} node={} it crashed, was promoted or restarted: jobs that are not settled in"
                        + " the database run again",
                number,
                node);
    }

    /** Lets other nodes take over the jobs that were claimed under abandoned numbers. */
    private void release(Line line) {
        retired.entrySet().removeIf(one -> {
            if (holds.test(one.getKey()) && System.nanoTime() < one.getValue()) {
                return false;
            }
            boolean held = true;
            while (held) { // a session can hold a lock several times
                held = line.session()
                        .one(RELEASE, bind -> bind.int8("worker", one.getKey()), row -> row.bool("held"))
                        .orElse(false);
            }
            return true;
        });
    }

    private void sign(Line line) {
        signedAt = System.nanoTime();
        line.session().query(SIGN, bind -> bind.int8("worker", number), row -> true);
    }

    private String wear(Line line) {
        return line.session()
                .one(
                        WEAR,
                        bind -> bind.int8("worker", number).text("node", node).bool("pooled", pooled),
                        row -> row.text("badge"))
                .orElseThrow();
    }

    @Override
    public Duration turn(Line line, Wire.Turn turn) {
        if (worn == 0) {
            connected(line);
        } else if (pooled && busy.getAsBoolean() && System.nanoTime() - signedAt > SIGN_EVERY.toNanos()) {
            sign(line);
        }
        if (turn.heardSteer()) {
            changed.run();
        }
        if (!retired.isEmpty()) {
            release(line);
        }
        return wanted && worn == 0 || !retired.isEmpty() ? HELD_AGAIN : Duration.ofMinutes(5);
    }

    @Override
    public synchronized void lost() {
        if (worn != 0) {
            droppedAt = System.nanoTime();
        }
        worn = 0;
        retired.clear(); // the connection held their locks
    }
}
