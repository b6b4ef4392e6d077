package io.postrider;

import io.postrider.access.Revocations;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.emit.Emitter;
import io.postrider.history.EventLog;
import io.postrider.listen.DeadLetters;
import io.postrider.listen.Listeners;
import io.postrider.listen.Posts;
import io.postrider.listen.Relays;
import io.postrider.log.Heads;
import io.postrider.log.Log;
import io.postrider.retain.Retention;
import io.postrider.schema.DatabaseCheck;
import io.postrider.schema.Migrator;
import io.postrider.sequence.Eras;
import io.postrider.sequence.Sequencer;
import io.postrider.wake.LockGuard;
import io.postrider.wake.Wire;
import io.postrider.watch.Guarded;
import io.postrider.watch.Watch;
import io.postrider.work.Jobs;
import io.postrider.work.Queues;
import io.postrider.work.Schedules;
import io.postrider.work.Workers;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Postrider on one database: emit events in your own transactions, listen to topics.
 *
 * <p>Emitting needs nothing but this object. A node that was started also keeps the log moving and runs its listeners; any
 * number of nodes share one database. Safe to share among threads.
 */
public final class Postrider implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Postrider.class);

    private final DataSource dataSource;
    private final Options options;
    private final Watch watch;
    private final Database database;
    private final Emitter emitter;
    private final Heads heads;
    private final Log along;
    private final Posts posts;
    private final Listeners listeners;
    private final Workers workers;
    private final List<Listener> waiting = new ArrayList<>();
    private final List<Worker> waitingWorkers = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private volatile @Nullable Wire wire;
    private @Nullable Retention retention;
    private @Nullable Sequencer sequencer;
    private boolean closed;

    private Postrider(DataSource dataSource, Options options) {
        this.dataSource = dataSource;
        this.options = options;
        this.watch = Guarded.of(options.watch());
        this.database = database(dataSource, options);
        this.emitter = new Emitter(database, options.payloadCap(), options.autocommit(), watch);
        this.heads = new Heads(watch);
        this.along = new Log(database, heads);
        this.posts = new Posts(heads);
        this.listeners = new Listeners(database, heads, posts, options.node(), watch);
        this.workers = new Workers(database, heads, options.node(), watch);
    }

    private static Database database(DataSource dataSource, Options options) {
        Database database = new Database(dataSource, SchemaName.of(options.schema()));
        HandlerTransactions transactions = options.handlerTransactions();
        return transactions == null ? database : database.withHandlerTransactions(transactions);
    }

    /** On this data source, with default options. A started node keeps one of its connections for itself. */
    public static Postrider on(DataSource dataSource) {
        return on(dataSource, Options.defaults());
    }

    /** On this data source. */
    public static Postrider on(DataSource dataSource, Options options) {
        return new Postrider(Refuse.missing("data source", dataSource), Refuse.missing("options", options));
    }

    /** Makes or updates the schema. Many may try at once; the role must be allowed to create it. */
    public Postrider migrate() {
        new Migrator(database).migrate(options.segmentSize(), options.payloadCap(), false);
        return this;
    }

    /**
     * Writes an event in the transaction of this connection: the event is delivered if and only if the transaction commits.
     * Refuses a connection in autocommit mode unless {@link Options#withAutocommit} allows it; so do the three methods below.
     */
    public UUID emit(Connection connection, Event event) {
        return emitter.emit(connection, event);
    }

    /** Writes events in this order, in the transaction of this connection. */
    public void emitAll(Connection connection, List<Event> events) {
        emitter.emitAll(connection, events);
    }

    /**
     * Writes a job in the transaction of this connection: it is done if and only if that commits. Gives the job's id; or, if
     * an unfinished job holds its unique key, that one's, and nothing is written.
     */
    public UUID enqueue(Connection connection, Job job) {
        return emitter.enqueue(connection, job);
    }

    /** Writes jobs in this order, in the transaction of this connection. */
    public void enqueueAll(Connection connection, List<Job> jobs) {
        emitter.enqueueAll(connection, jobs);
    }

    /**
     * Says how far a job is that runs on this node, for those who look: in the view {@code jobs} at once, and gone when the job
     * has ended. Each call is a commit of its own: now and then, not for every step.
     *
     * @param note what it is at; null: nothing to say
     */
    public void report(ClaimedJob job, int percent, @Nullable String note) {
        workers.report(Refuse.missing("job", job), Refuse.outside("percent", percent, 0, 100), note);
    }

    /** Adds a listener; it runs from {@link #start} on, or at once on a node that is started. */
    public synchronized Postrider add(Listener listener) {
        refuseClosed();
        if (names.contains(listener.name())) {
            throw PostriderException.refused("listener " + listener.name() + " was added twice");
        }
        if (wire == null) {
            waiting.add(listener);
        } else {
            listeners.register(listener);
            listeners.run(listener);
        }
        names.add(listener.name());
        return this;
    }

    /** Adds work on a queue; it is done from {@link #start} on, or at once on a node that is started. */
    public synchronized Postrider add(Worker worker) {
        refuseClosed();
        if (!names.add("queue:" + worker.queue())) {
            throw PostriderException.refused("queue " + worker.queue() + " has a worker on this node already");
        }
        if (wire == null) {
            waitingWorkers.add(worker);
        } else {
            workers.register(worker);
            workers.run(worker);
        }
        return this;
    }

    /** Starts the node: it keeps the log moving, runs its listeners and looks after the segments. */
    public synchronized Postrider start() {
        refuseClosed();
        if (wire != null) {
            throw new PostriderException(PostriderException.Kind.CONFLICT, "this node is started already");
        }
        database.autocommit(session -> {
            DatabaseCheck.requireServer(session, database.schema());
            Migrator.requireCurrent(session);
            return true;
        });
        waitingWorkers.forEach(workers::register);
        waiting.forEach(listeners::register); // first, so that a start that is refused has started nothing
        log.info("node_started {}", options);
        sequencer = new Sequencer(heads, options.passSize(), options.notifies(), watch);
        DataSource direct = options.direct();
        wire = new Wire(
                database,
                direct == null ? dataSource : direct,
                options.poll(),
                watch,
                List.of(new LockGuard(), sequencer, posts, workers.badge(), new Eras(heads, watch)));
        waiting.forEach(listeners::run);
        waiting.clear();
        waitingWorkers.forEach(workers::run);
        waitingWorkers.clear();
        wire.start();
        retention = new Retention(database, options.segmentSize(), options.keep(), options.patience());
        retention.start();
        return this;
    }

    /** Whether this node is started and its lasting connection is up. A node that is not, emits; it runs nothing meanwhile. */
    public boolean isConnected() {
        Wire riding = wire;
        return riding != null && riding.isRiding();
    }

    /** Stops a listener where it is, on every node, until it is resumed. */
    public void pause(String listener) {
        listeners.pause(listener, true);
    }

    /** Lets a paused listener go on. */
    public void resume(String listener) {
        listeners.pause(listener, false);
    }

    /** Moves a listener to another place in its topic, wherever it runs. Gives the cursor it has then. */
    public long reset(String listener, StartPoint to) {
        return listeners.reset(listener, to);
    }

    /** Where {@link #reset} would put its cursor. */
    public long cursorAt(String listener, StartPoint to) {
        return listeners.cursorAt(listener, to);
    }

    /** Every listener in the database, as the view {@code listeners} has it. */
    public List<Listeners.Status> listeners() {
        return listeners.list();
    }

    /** How relays stand, and whether their sinks can be reached. */
    public Relays relays() {
        return new Relays(database);
    }

    /** The log itself: its ends, a stretch of it, and reading along without a name. */
    public Log log() {
        return along;
    }

    /** The event log: a read model of topics, for looking up and counting. */
    public EventLog eventLog() {
        return new EventLog(database, listener -> listeners.reset(listener, StartPoint.beginning()));
    }

    /** Tokens that are not to be believed any more. */
    public Revocations revocations() {
        return new Revocations(database);
    }

    /** What failed for good. */
    public DeadLetters deadLetters() {
        return new DeadLetters(database);
    }

    /** How jobs stand, and what an operator does with one. */
    public Jobs jobs() {
        return new Jobs(database);
    }

    /** How queues stand, and how they are steered. */
    public Queues queues() {
        return new Queues(database);
    }

    /** Jobs that are made by the clock. */
    public Schedules schedules() {
        return new Schedules(database);
    }

    /** Lets listeners finish what they are at, gives up what the node holds, and ends. Emitting still works afterwards. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        workers.close();
        listeners.close();
        along.close();
        if (retention != null) {
            retention.close();
        }
        if (wire != null) {
            wire.close();
            log.info("node_stopped node={}", options.node());
        }
    }

    private void refuseClosed() {
        if (closed) {
            throw new PostriderException(PostriderException.Kind.CONFLICT, "this node is closed");
        }
    }
}
