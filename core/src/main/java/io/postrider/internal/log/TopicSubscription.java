package io.postrider.internal.log;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.admin.Log;
import io.postrider.admin.Subscription;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
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
 * Follows one topic on a thread of its own.
 *
 * <pre>
 * FOLLOWING  reads the events after its position and waits for the head to move. After a failure of the database or of the
 *            follower it waits and tries the same events again.
 * CLOSED     by close(); the current call is finished first.
 * </pre>
 */
final class TopicSubscription implements Subscription {
    private static final Logger log = LoggerFactory.getLogger(TopicSubscription.class);
    private static final Sql ERA =
            Sql.text("log/era", "select coalesce((select max(e.era) from postrider.era e), 0) as era");
    private static final int AT_ONCE = 500;

    /** A standby that was promoted lacks a second or two of the log, seldom more. */
    private static final int REMEMBERED = 10_000;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Database database;
    private final Heads heads;
    private final LogReader reader;
    private final String topic;
    private final Log.Follower follower;
    private final Consumer<TopicSubscription> ended;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Deque<Seen> read = new ArrayDeque<>();
    private volatile long position;
    private int era = -1;
    private boolean mayBeDeleted;

    /** A recent event, to find out after a change of era which of them are still in the log. */
    private record Seen(long position, UUID id) {}

    /** Where to begin. {@code before} are the last events up to {@code after}, as far as the follower has read them already. */
    record Start(String topic, long after, List<LogEvent> before) {}

    TopicSubscription(
            Database database,
            Heads heads,
            LogReader reader,
            Start start,
            Log.Follower follower,
            Consumer<TopicSubscription> ended) {
        this.database = database;
        this.heads = heads;
        this.reader = reader;
        this.topic = start.topic();
        this.position = start.after();
        remember(start.before());
        this.follower = follower;
        this.ended = ended;
        this.thread = new Thread(this::run, "postrider-follow-" + start.topic());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
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
                log.warn("follow_failed topic={} position={} error=\"{}\"", topic, position, e.getMessage());
                mayBeDeleted = e.kind() == PostriderException.Kind.CONFLICT;
                pause();
            } catch (Exception | Error e) {
                log.error("follow_failed topic={} position={}", topic, position, e);
                pause();
            }
        }
    }

    private void next() throws Exception {
        if (era < 0) {
            checkEra();
        }
        if (mayBeDeleted) {
            skipDeleted();
            mayBeDeleted = false;
        }
        long head = heads.head(topic);
        if (head < position && heads.connection() > 0) {
            checkEra();
        }
        LogRange range = reader.read(topic, position, Long.MAX_VALUE, AT_ONCE, ReadFilter.ALL, heads, era);
        if (range.isEmpty()) {
            heads.awaitBeyond(topic, position, LONGEST_WAIT);
        } else if (range.era() != era) {
            checkEra();
        } else {
            follower.read(range.events());
            position = range.to();
            remember(range.events());
        }
    }

    /** The first era begins with the first event, which is no change. */
    private void checkEra() {
        int now = database.autocommit(session ->
                session.one(ERA, Bind::nothing, row -> row.int4("era")).orElse(0));
        if (era > 0 && now != era) {
            long common = common();
            if (common < position) {
                log.warn(
                        "follow_changed topic={} position={} common={} the log was replaced after position common",
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

    /** The last position up to which the log is still the one that was read. Events that are not remembered count as the same. */
    private long common() {
        long head = database.autocommit(session -> reader.head(session, topic));
        return Math.min(head, same());
    }

    private long same() {
        long at = read.isEmpty() ? position : read.peekFirst().position() - 1;
        Deque<Seen> remembered = new ArrayDeque<>(read);
        while (!remembered.isEmpty()) {
            long after = at;
            List<LogEvent> found = database.autocommit(
                    session -> reader.read(session, topic, after, AT_ONCE).events());
            if (found.isEmpty()) {
                return at;
            }
            for (LogEvent event : found) {
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

    /** Retention may have deleted the next events, while the database was unreachable or the follower was slow. */
    private void skipDeleted() {
        long oldest = database.autocommit(session -> LogReader.oldest(session, topic));
        if (oldest - 1 > position) {
            log.error(
                    "follow_skipped topic={} positions={}..{} retention has deleted them",
                    topic,
                    position + 1,
                    oldest - 1);
            position = oldest - 1;
            read.clear();
        }
    }

    private void pause() {
        try {
            closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

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
