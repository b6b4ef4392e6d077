package io.postrider.wake;

import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.Line;
import io.postrider.db.SqlState;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's one lasting connection and the thread that owns it. It hears what is notified, and gives each of its tasks a
 * turn when something was, when a task asked for one, and once in every poll interval whatever happens: a notification is a
 * hint, and with every one of them lost the result is the same, only later (G12).
 *
 * <pre>
 * CONNECTING  at the start and after any failure of the line. Tries with backoff and jitter, 100 ms to 10 s.
 *             Leaves when the line is up: every task is told, then polls once.
 * RIDING      waits for notifications, at most until the next turn that is due. Leaves when the line breaks: every task is
 *             told that what it held by the line (leadership, listeners) is gone. A task that waits for a lock for more than
 *             2 s is interrupted, and the line stays.
 * STOPPED     after close(). The locks are released in order. A crash leaves the same: the server lets go of the locks of
 *             a connection that is gone.
 * </pre>
 */
public final class Wire implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Wire.class);
    /** The payloads that we send. Any role may notify on any channel; 5,000 invented payloads once made 5,000 metric series. */
    private static final Set<String> HINTS = Set.of("event", "log", "steer");

    private static final Duration TELL_EVERY = Duration.ofMinutes(1);

    private static final Duration SLICE = Duration.ofMillis(100);

    private final Database database;
    private final DataSource dataSource;
    private final Duration poll;
    private final Watch watch;
    private final List<Task> tasks;
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean running = true;
    private volatile boolean riding;
    private long toldAt = System.nanoTime() - TELL_EVERY.toNanos();

    /** What uses the wire. Called by the wire's thread only. */
    public interface Task {
        /** The line is up. */
        void connected(Line line);

        /** A turn. Says after how long it wants the next one at the latest. */
        Duration turn(Line line, Turn turn);

        /** The line is gone, and with it every lock that was held by it. */
        void lost();
    }

    /** Why a task gets a turn. */
    public record Turn(boolean heardEvent, boolean heardLog, boolean heardSteer, boolean poll) {}

    public Wire(Database database, DataSource dataSource, Duration poll, Watch watch, List<Task> tasks) {
        this.database = database;
        this.dataSource = dataSource;
        this.poll = poll;
        this.watch = watch;
        this.tasks = tasks;
        this.thread = new Thread(this::run, "postrider-wire");
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Whether the line is up. */
    public boolean isRiding() {
        return riding;
    }

    private void run() {
        int failures = 0;
        try {
            while (running) {
                try (Line line = Line.open(dataSource, database)) {
                    line.listen(database.schema().text());
                    if (line.isPooled()) {
                        log.warn(
                                "wire_pooled the data source goes through a pooler: no wake-up by notification, polling"
                                        + " instead; give Postrider a direct connection (Options.withDirect)");
                    }
                    tasks.forEach(task -> task.connected(line));
                    log.info("wire_connected pid={}", line.pid());
                    riding = true;
                    failures = 0;
                    ride(line);
                } catch (PostriderException e) {
                    failures++;
                    log.warn("wire_lost failures={} error=\"{}\"", failures, e.getMessage());
                } catch (RuntimeException | Error e) {
                    // A data source or a watch that throws what it should not, or memory that ran out for a moment: a
                    // node without a wire does nothing.
                    failures++;
                    log.error("wire_lost failures={}", failures, e);
                } finally {
                    riding = false;
                    tasks.forEach(Task::lost);
                }
                if (running) {
                    backOff(failures);
                }
            }
        } finally {
            stopped.countDown();
        }
    }

    private void ride(Line line) {
        long polled = System.nanoTime() - poll.toNanos();
        Duration wait = Duration.ZERO;
        while (running) {
            List<String> heard = line.await(wait.compareTo(SLICE) < 0 ? wait : SLICE);
            heard.stream().filter(HINTS::contains).forEach(watch::notified);
            boolean due = System.nanoTime() - polled >= poll.toNanos();
            Turn turn = new Turn(heard.contains("event"), heard.contains("log"), heard.contains("steer"), due);
            if (due) {
                polled = System.nanoTime();
            }
            wait = poll.minusNanos(System.nanoTime() - polled);
            for (Task task : tasks) {
                Optional<Duration> asked = turn(task, line, turn);
                if (asked.isEmpty()) {
                    polled = System.nanoTime() - poll.toNanos();
                }
                Duration until = asked.orElse(Duration.ZERO);
                wait = until.compareTo(wait) < 0 ? until : wait;
            }
        }
    }

    /**
     * A task's turn; empty if it waited too long for a lock that somebody else holds. The line is whole then, so the task keeps what
     * it holds by it. All tasks get another turn at once, the guard of the locks first.
     */
    private Optional<Duration> turn(Task task, Line line, Turn turn) {
        try {
            return Optional.of(task.turn(line, turn));
        } catch (PostriderException e) {
            if (!SqlState.isLocked(SqlState.of(e))) {
                throw e;
            }
            if (System.nanoTime() - toldAt > TELL_EVERY.toNanos()) {
                toldAt = System.nanoTime();
                log.warn(
                        "wire_waits error=\"{}\" `postrider doctor` names the session that it waits for",
                        e.getMessage());
            }
            return Optional.empty();
        }
    }

    /** 100 ms, doubled up to 10 s, and anything between half and all of it, so that nodes do not come back in step. */
    private void backOff(int failures) {
        long most = Math.min(10_000, 100L << Math.min(failures, 7));
        try {
            stopped.await(ThreadLocalRandom.current().nextLong(most / 2, most + 1), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // asked to stop: the loop looks
        }
    }

    @Override
    public void close() {
        running = false;
        if (thread.getState() == Thread.State.NEW) {
            return; // never started: the node's start was refused
        }
        thread.interrupt();
        try {
            if (!stopped.await(30, TimeUnit.SECONDS)) {
                log.warn("wire_stuck the connection does not answer; left to the server's time-out");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
