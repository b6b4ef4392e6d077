package io.postrider.internal.claim;

import io.postrider.internal.db.Bind;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.threads.Deadline;
import io.postrider.internal.wake.NodeConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The number of this node as a worker. The session of the node's connection holds a lock on that number, which the server releases
 * the moment the process is gone: a worker is alive while the lock is held, and there is no heartbeat. Safe to share.
 *
 * <pre>
 * NONE      before the first connection. Nothing is claimed.
 * VALID     the session holds the lock of our number. Claims are made and settled under it.
 * REFUSED   another node has taken the number over although the connection is open, because it was silent behind a pooler. Leaves
 *           with a new number.
 * LOST      the connection is gone, and the lock with it. Nothing is claimed. Claimed jobs are run and settled as long as no node
 *           has taken them over. Leaves when the connection is back: with the same number if it is still free, else with a new
 *           one, and the jobs of the old number belong to others.
 * </pre>
 *
 * A server that crashed or was promoted may have lost commits that were confirmed to us: settlements, claims, finished
 * jobs. Then our number is no longer in the table {@code presence}, the server refuses claims under it, and we take a new
 * one. The old number is kept for 5 s, so that running jobs can be settled under it. Then it can be taken over, and jobs that are
 * still open in the database run again.
 *
 * <p>Behind a pooler we own no session: then the sign of life is a time in our row, written with claims and while they are open.
 */
public final class WorkerRegistration implements NodeConnection.Task {
    private static final Logger log = LoggerFactory.getLogger(WorkerRegistration.class);
    private static final Sql ENTER =
            Sql.text("claim/enter", "insert into postrider.worker (node, pooled) values (:node, :pooled) returning id");
    private static final Sql TAKE = Sql.file("claim/wear_badge");

    /** The server may have lost numbers that it gave to other workers: the next one must be greater than all of them. */
    private static final Sql SKIP = Sql.text(
            "claim/skip_numbers",
            "select count(nextval(pg_get_serial_sequence('postrider.worker', 'id'))) from generate_series(1, 1000)");

    /** A worker that only changes its number counts as leaving, so that no job is suspected of having ended it. */
    private static final Sql RETIRE =
            Sql.text("claim/retire", "update postrider.worker w set leaving = true where w.id = :worker");

    private static final Sql RELEASE = Sql.text(
            "claim/release_number",
            "select pg_advisory_unlock('postrider.worker'::regclass::oid::int4, (:worker % 2147483647)::int4) as held");
    private static final Sql SIGN = Sql.call("claim/sign", "select postrider.sign(:worker)::pg_catalog.text as signed");
    private static final Sql RETURN = Sql.text(
            "claim/return",
            "update postrider.worker w set seen_at = clock_timestamp(), kept_until = null where w.id = :worker");

    /** Other nodes take over a worker behind a pooler that has open claims and has been silent for 12 s or more. */
    private static final Duration SIGN_EVERY = Duration.ofSeconds(3);

    /** How long to wait for the end of our own last session before taking a new number. */
    private static final Duration WAIT_FOR_SESSION = Duration.ofSeconds(5);

    private static final Duration TRY_EVERY = Duration.ofMillis(20);

    /** How long an abandoned number is kept for the jobs that still run under it. */
    private static final Duration KEEP_RETIRED = Duration.ofSeconds(5);

    private final String node;
    private final Runnable changed;
    private final BooleanSupplier busy;
    private final BiConsumer<Session, Long> announce;
    private final LongPredicate holds;

    /** Abandoned numbers whose lock the connection still holds, and until when at the latest. */
    private final Map<Long, Deadline> retired = new HashMap<>();

    private volatile boolean wanted;
    private long number;
    private boolean pooled;
    private Deadline nextSign = Deadline.now();
    private Deadline sessionGone = Deadline.now();

    /** The number while it is valid, else 0. */
    private volatile long valid;

    /** The result of the attempt to lock our number: the words of wear_badge.sql. */
    private enum Standing {
        /** The session holds the lock: we may claim under the number. */
        VALID,
        /** Another session holds the lock: our last one, whose end the server has not noticed yet. */
        HELD,
        /** The worker has been taken over, or the number belongs to another node. */
        ENDED,
        /** The server may have lost commits that we know: the number is locked, but may not claim any more. */
        FORGOTTEN;

        static Standing of(String word) {
            return switch (word) {
                case "worn" -> VALID;
                case "held" -> HELD;
                case "ended" -> ENDED;
                case "forgotten" -> FORGOTTEN;
                default -> throw new IllegalStateException("unknown state '" + word + "' of a worker");
            };
        }
    }

    /**
     * @param changed called when the number has become valid, and when an operator has changed something
     * @param busy whether claims are open
     * @param holds whether this node holds jobs that were claimed under a number
     * @param announce publishes under a new number which queues this node works on
     */
    public WorkerRegistration(
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
    public long number() {
        return valid;
    }

    /** The server refuses claims under this number: the next turn of the connection finds out why and gets a new number. */
    public synchronized void refused(long refused) {
        if (number == refused) {
            valid = 0;
        }
    }

    /** From now on this node has work to do. Before, it needs no number. */
    public synchronized void want() {
        wanted = true;
    }

    @Override
    public synchronized void connected(ListenConnection line) {
        if (!wanted) {
            return;
        }
        pooled = line.isPooled();
        Standing standing = number == 0 ? Standing.ENDED : take(line);
        if (standing == Standing.HELD && !sessionGone.isPassed()) {
            return; // our own last session; the next turn tries again
        }
        if (standing == Standing.FORGOTTEN) {
            retire(line);
        }
        if (number != 0 && standing != Standing.VALID) {
            line.session().query(SKIP, Bind::nothing, row -> true);
        }
        if (standing != Standing.VALID) {
            number = line.session()
                    .one(ENTER, bind -> bind.text("node", node).bool("pooled", pooled), row -> row.int8("id"))
                    .orElseThrow();
            take(line);
            announce.accept(line.session(), number);
            log.info("worker_entered worker={} node={}", number, node);
        } else {
            // so that a takeover does not mistake two short absences for a long one
            line.session().update(RETURN, bind -> bind.int8("worker", number));
        }
        valid = number;
        changed.run();
    }

    /** Abandons the number. Behind a pooler there is no lock, so other nodes take it over immediately. */
    private void retire(ListenConnection line) {
        line.session().update(RETIRE, bind -> bind.int8("worker", number));
        if (!pooled) {
            retired.put(number, Deadline.in(KEEP_RETIRED));
        }
        log.warn(
                "server_changed worker={} node={} the server crashed, was promoted or restarted: jobs that are"
                        + " not settled in the database run again",
                number,
                node);
    }

    /** Lets other nodes take over the jobs that were claimed under abandoned numbers. */
    private void release(ListenConnection line) {
        retired.entrySet().removeIf(one -> {
            if (holds.test(one.getKey()) && !one.getValue().isPassed()) {
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

    private void sign(ListenConnection line) {
        nextSign = Deadline.in(SIGN_EVERY);
        line.session().query(SIGN, bind -> bind.int8("worker", number), row -> true);
    }

    private Standing take(ListenConnection line) {
        return line.session()
                .one(
                        TAKE,
                        bind -> bind.int8("worker", number).text("node", node).bool("pooled", pooled),
                        row -> Standing.of(row.text("badge")))
                .orElseThrow();
    }

    @Override
    public Duration turn(ListenConnection line, NodeConnection.Turn turn) {
        if (valid == 0) {
            connected(line);
        } else if (pooled && busy.getAsBoolean() && nextSign.isPassed()) {
            sign(line);
        }
        if (turn.heardSteer()) {
            changed.run();
        }
        if (!retired.isEmpty()) {
            release(line);
        }
        return wanted && valid == 0 || !retired.isEmpty() ? TRY_EVERY : Duration.ofMinutes(5);
    }

    @Override
    public synchronized void lost() {
        if (valid != 0) {
            sessionGone = Deadline.in(WAIT_FOR_SESSION);
        }
        valid = 0;
        retired.clear(); // the connection held their locks
    }
}
