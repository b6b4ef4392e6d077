package io.postrider.work;

import io.postrider.db.Line;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.wake.Wire;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
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
 * Behind a pooler no session is ours: then the sign of life is a time in our row, written with claims and while they are open.
 */
public final class Badge implements Wire.Task {
    private static final Logger log = LoggerFactory.getLogger(Badge.class);
    private static final Sql ENTER =
            Sql.text("enter", "insert into postrider.worker (node, pooled) values (:node, :pooled) returning id");
    private static final Sql WEAR = Sql.file("work/wear_badge");
    private static final Sql SIGN = Sql.text("sign", "select postrider.sign(:worker)::text as signed");
    private static final Sql RETURN =
            Sql.text("return", "update postrider.worker w set seen_at = clock_timestamp() where w.id = :worker");

    /** Others take a worker without a session that has claims for gone when it has been silent for 12 s. */
    private static final Duration SIGN_EVERY = Duration.ofSeconds(3);

    /** So long we wait for our own last session to be gone, before we go on with a new number. */
    private static final Duration HELD_FOR = Duration.ofSeconds(5);

    private static final Duration HELD_AGAIN = Duration.ofMillis(20);

    private final String node;
    private final Runnable changed;
    private final BooleanSupplier busy;
    private final BiConsumer<Session, Long> announce;
    private volatile boolean wanted;
    private long number;
    private boolean pooled;
    private long signedAt;
    private long droppedAt;
    private volatile long worn;

    /**
     * @param changed called when it is worn, and when somebody has steered
     * @param busy whether claims are open
     * @param announce tells others, under a new number, which queues this node works on
     */
    Badge(String node, Runnable changed, BooleanSupplier busy, BiConsumer<Session, Long> announce) {
        this.announce = announce;
        this.node = node;
        this.changed = changed;
        this.busy = busy;
    }

    /** Our number; 0 while nothing may be claimed. */
    long number() {
        return worn;
    }

    /** The worker of this number has been taken over: the next turn of the wire gets another. */
    synchronized void isOver(long ended) {
        if (number == ended) {
            number = 0;
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

    private void sign(Line line) {
        signedAt = System.nanoTime();
        line.session().query(SIGN, bind -> bind.int8("worker", number), row -> true);
    }

    private String wear(Line line) {
        return line.session()
                .one(WEAR, bind -> bind.int8("worker", number).bool("pooled", pooled), row -> row.text("badge"))
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
        return wanted && worn == 0 ? HELD_AGAIN : Duration.ofMinutes(5);
    }

    @Override
    public synchronized void lost() {
        if (worn != 0) {
            droppedAt = System.nanoTime();
        }
        worn = 0;
    }
}
