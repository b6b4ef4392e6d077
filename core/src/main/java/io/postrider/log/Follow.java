package io.postrider.log;

import io.postrider.PostriderException;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads along with one topic, by a thread of its own.
 *
 * <pre>
 * FOLLOWING  reads what is after its position and waits for the head to move. A failure of the database, or of the
 *            follower, rests and tries the same again.
 * CLOSED     by close(); the call under way is finished first.
 * </pre>
 */
public final class Follow implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Follow.class);
    private static final Sql ERA =
            Sql.text("era", "select coalesce((select max(e.era) from postrider.era e), 0) as era");
    private static final int AT_ONCE = 500;
    private static final Duration A_WHILE = Duration.ofSeconds(1);
    private static final Duration REST = Duration.ofMillis(200);

    private final Database database;
    private final Heads heads;
    private final LogReader reader;
    private final String topic;
    private final Log.Follower follower;
    private final Consumer<Follow> ended;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile long position;
    private int era = -1;

    record Place(String topic, long after) {}

    Follow(
            Database database,
            Heads heads,
            LogReader reader,
            Place place,
            Log.Follower follower,
            Consumer<Follow> ended) {
        this.database = database;
        this.heads = heads;
        this.reader = reader;
        this.topic = place.topic();
        this.position = place.after();
        this.follower = follower;
        this.ended = ended;
        this.thread = new Thread(this::run, "postrider-follow-" + place.topic());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** The last position that the follower has read. */
    public long position() {
        return position;
    }

    private void run() {
        boolean followed = false;
        while (closed.getCount() > 0) {
            try {
                if (!followed) {
                    database.autocommit(session -> {
                        heads.follow(session, topic);
                        return true;
                    });
                    followed = true;
                }
                next();
            } catch (InterruptedException e) {
                return;
            } catch (PostriderException e) {
                log.warn("follow_stumbled topic={} position={} error=\"{}\"", topic, position, e.getMessage());
                rest();
            } catch (Exception e) {
                log.error("follow_stumbled topic={} position={}", topic, position, e);
                rest();
            }
        }
    }

    private void next() throws Exception {
        if (era < 0) {
            lookAtEra();
        }
        long head = heads.head(topic);
        if (head < position && heads.connection() > 0) {
            lookAtEra();
        }
        LogReader.Stretch stretch = reader.read(topic, position, Long.MAX_VALUE, AT_ONCE, null, heads, era);
        if (stretch.isEmpty()) {
            heads.awaitBeyond(topic, position, A_WHILE);
        } else if (stretch.era() != era) {
            lookAtEra();
        } else {
            follower.read(stretch.events());
            position = stretch.to();
        }
    }

    /** In another era the head may be lower than what we have read. */
    private void lookAtEra() {
        record Seen(int era, long head) {}
        Seen seen = database.autocommit(session -> new Seen(
                session.one(ERA, Bind::nothing, row -> row.int4("era")).orElse(0), reader.head(session, topic)));
        boolean another = era >= 0 && seen.era() != era;
        if (another) {
            log.warn(
                    "follow_changed topic={} position={} head={} the log is not the one it was",
                    topic,
                    position,
                    seen.head());
            follower.changed(seen.head());
            position = Math.min(position, seen.head());
        }
        era = seen.era();
    }

    private void rest() {
        try {
            closed.await(REST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends it, after the call that is under way. */
    @Override
    public void close() {
        closed.countDown();
        heads.nudge(topic);
        if (Thread.currentThread() != thread) {
            try {
                thread.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        ended.accept(this);
    }
}
