package io.postrider.internal.wake;

import io.postrider.Backoff;
import io.postrider.PostriderException;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.ListenPause;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection that a node keeps, and the thread that owns it. It gives each of its tasks a turn when a notification arrives,
 * when the task has asked for one, once in every poll interval, and at least once a second. A notification is only a hint, and if all
 * of them were lost the result would be the same, only later, after a poll (G12). The poll may be rare. What other nodes wait for
 * must not be: signs of life, and taking over from a node that is gone. These are checked every second.
 *
 * <pre>
 * CONNECTING  at the start and after any failure of the connection. Tries with backoff and jitter, 100 ms to 10 s. Leaves when
 *             connected: every task is notified, then polls once.
 * CONNECTED   waits for notifications, at most until the next turn that is due. Leaves when the connection breaks: every task is
 *             notified that the locks it held by the connection (leadership, listeners) are gone. If a task waits for a lock for
 *             more than 2 s, its turn fails and the connection stays. It also stays when the server's lock table is full: a
 *             new connection would fail, and only {@link LockGuard} on this one can end the session that filled it.
 * STOPPED     after close(). The locks are released in order. A crash leaves the same: the server releases the locks of a
 *             connection that is gone.
 * </pre>
 */
public final class NodeConnection implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NodeConnection.class);

    private static final Duration WARN_EVERY = Duration.ofMinutes(1);

    /** The pause before the next turn when a lock was not available: if the lock table is full, a task fails without waiting. */
    private static final Duration AFTER_LOCK_FAILURE = Duration.ofMillis(20);

    /** Signs of life and locks of other nodes. Also the poll interval of a node that no notification can reach. */
    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    /** So that close() is noticed soon. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    /** With jitter, so that the nodes of a server that restarted do not reconnect all at once. */
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10));

    private final Database database;
    private final DataSource dataSource;
    private final Duration poll;
    private final Duration check;
    private final Watch watch;
    private final List<Task> tasks;
    private final ListenPause pause = new ListenPause();
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean running = true;
    private volatile boolean connected;
    private long warnedAt = System.nanoTime() - WARN_EVERY.toNanos();

    /** A user of the connection. Called only by the thread of the connection. */
    public interface Task {
        /** The connection is established. */
        void connected(ListenConnection connection);

        /** A turn. Returns the longest time until the next one. */
        Duration turn(ListenConnection connection, Turn turn);

        /** The connection is gone, and with it every lock that it held. */
        void lost();
    }

    /**
     * Why a task gets a turn.
     *
     * @param check whether to look for what other nodes have left; in every turn with a poll, and at least once a second
     * @param poll whether to look for what notifications should have told
     */
    public record Turn(boolean heardEvent, boolean heardLog, boolean heardSteer, boolean check, boolean poll) {}

    public NodeConnection(Database database, DataSource dataSource, Duration poll, Watch watch, List<Task> tasks) {
        this.database = database;
        this.dataSource = dataSource;
        this.poll = poll;
        this.check = shorter(poll, CHECK_EVERY);
        this.watch = watch;
        this.tasks = tasks;
        this.thread = new Thread(this::run, "postrider-wire");
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    public boolean isConnected() {
        return connected;
    }

    private void run() {
        int failures = 0;
        try {
            while (running) {
                try (ListenConnection connection = ListenConnection.open(dataSource, database)) {
                    connection.listen(database.schema().text(), Hint.payloads(), pause);
                    if (connection.isPooled()) {
                        log.warn(
                                "wire_pooled the data source goes through a pooler: no wake-up by notification, polling"
                                        + " instead; give Postrider a direct connection (Options.withDirect)");
                    } else if (!connection.canListen()) {
                        log.warn(
                                "wire_polls poll_ms={} reason=\"{}\" no wake-up by notification: the node that sequences"
                                        + " polls every 25 ms even when idle, and other nodes see an event up to poll_ms later",
                                check.toMillis(),
                                connection.obstacle());
                    }
                    tasks.forEach(task -> task.connected(connection));
                    log.info("wire_connected pid={}", connection.pid());
                    connected = true;
                    failures = 0;
                    serve(connection);
                } catch (PostriderException e) {
                    failures++;
                    log.warn("wire_lost failures={} error=\"{}\"", failures, e.getMessage());
                } catch (RuntimeException | Error e) {
                    // A data source or a watch with a bug, or no memory for a moment. Without this thread the node does
                    // nothing.
                    failures++;
                    log.error("wire_lost failures={}", failures, e);
                } finally {
                    connected = false;
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

    private void serve(ListenConnection connection) {
        Deadline nextPoll = Deadline.now();
        Deadline nextCheck = Deadline.now();
        Duration wait = Duration.ZERO;
        while (running) {
            List<String> received = connection.await(shorter(wait, LONGEST_WAIT));
            received.forEach(watch::notified);
            if (!connection.isListening()) { // polling is then the only way to see an event
                nextPoll = nextPoll.earlier(nextCheck);
            }
            boolean pollDue = nextPoll.isPassed();
            boolean checkDue = pollDue || nextCheck.isPassed();
            Turn turn = new Turn(
                    Hint.EVENT.isIn(received), Hint.LOG.isIn(received), Hint.STEER.isIn(received), checkDue, pollDue);
            if (checkDue) {
                connection.ping();
                nextCheck = Deadline.in(check);
            }
            if (pollDue) {
                nextPoll = Deadline.in(poll);
            }
            wait = Duration.ofNanos(Math.max(0, nextCheck.earlier(nextPoll).nanosLeft()));
            for (Task task : tasks) {
                Optional<Duration> requested = turn(task, connection, turn);
                if (requested.isEmpty()) {
                    nextPoll = Deadline.now();
                }
                wait = shorter(requested.orElse(AFTER_LOCK_FAILURE), wait);
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * The turn of a task; empty if the task waited too long for a lock, or the lock table is full. The connection is intact then, so the
     * task keeps its locks. All tasks get another turn soon, {@link LockGuard} first.
     */
    private Optional<Duration> turn(Task task, ListenConnection connection, Turn turn) {
        try {
            return Optional.of(task.turn(connection, turn));
        } catch (PostriderException e) {
            String state = SqlState.of(e);
            if (!SqlState.isLocked(state) && !SqlState.isOutOfMemory(state)) {
                throw e;
            }
            if (System.nanoTime() - warnedAt > WARN_EVERY.toNanos()) {
                warnedAt = System.nanoTime();
                log.warn(
                        "wire_waits error=\"{}\" `postrider doctor` names the session that it waits for",
                        e.getMessage());
            }
            return Optional.empty();
        }
    }

    private void backOff(int failures) {
        try {
            stopped.await(BACKOFF.jittered(failures).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // close() was called: the loop ends
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
                log.warn("wire_stuck the connection does not respond; the server's timeout will end it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
