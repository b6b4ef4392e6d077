package io.postrider.log;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
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

    /** A standby that was promoted lacks a second or two of the log, seldom more. */
    private static final int REMEMBERED = 10_000;

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
    private final Deque<Seen> read = new ArrayDeque<>();
    private volatile long position;
    private int era = -1;
    private boolean mayHaveForgotten;

    /** What was read lately, to tell after a change of era how much of it still holds. */
    private record Seen(long position, UUID id) {}

    record Place(String topic, long after, List<LogEvent> before) {}

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
        remember(place.before());
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
                mayHaveForgotten = e.kind() == PostriderException.Kind.CONFLICT;
                rest();
            } catch (Exception | Error e) {
                log.error("follow_stumbled topic={} position={}", topic, position, e);
                rest();
            }
        }
    }

    private void next() throws Exception {
        if (era < 0) {
            lookAtEra();
        }
        if (mayHaveForgotten) {
            passOverForgotten();
            mayHaveForgotten = false;
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
            remember(stretch.events());
        }
    }

    /** The first era begins with the first event: that is no change. */
    private void lookAtEra() {
        int now = database.autocommit(session ->
                session.one(ERA, Bind::nothing, row -> row.int4("era")).orElse(0));
        if (era > 0 && now != era) {
            long common = common();
            if (common < position) {
                log.warn(
                        "follow_changed topic={} position={} common={} the log is not the one it was",
                        topic,
                        position,
                        common);
                follower.changed(common);
                position = common;
                read.clear();
            }
        }
        era = now;
    }

    /** How far the log is what we have read: not beyond its head; what we do not remember is believed to be the same. */
    private long common() {
        long head = database.autocommit(session -> reader.head(session, topic));
        return Math.min(head, same());
    }

    private long same() {
        long at = read.isEmpty() ? position : read.peekFirst().position() - 1;
        Deque<Seen> remembered = new ArrayDeque<>(read);
        while (!remembered.isEmpty()) {
            long after = at;
            List<LogEvent> there = database.autocommit(
                    session -> reader.read(session, topic, after, AT_ONCE).events());
            if (there.isEmpty()) {
                return at;
            }
            for (LogEvent event : there) {
                Seen seen = remembered.pollFirst();
                if (seen == null) {
                    return at;
                }
                if (seen.position() != event.position() || !seen.id().equals(event.id())) {
                    return at;
                }
                at = event.position();
            }
        }
        return at;
    }

    private void remember(List<LogEvent> events) {
        events.forEach(event -> read.addLast(new Seen(event.position(), event.id())));
        while (read.size() > REMEMBERED) {
            read.removeFirst();
        }
    }

    /** Retention may have taken what was to be read next, while the database was away or we were paused. */
    private void passOverForgotten() {
        long oldest = database.autocommit(session -> LogReader.oldest(session, topic));
        if (oldest - 1 > position) {
            log.error(
                    "follow_passed_over topic={} positions={}..{} retention has taken them",
                    topic,
                    position + 1,
                    oldest - 1);
            position = oldest - 1;
            read.clear();
        }
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
