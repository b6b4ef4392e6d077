package io.postrider.internal.node;

import io.postrider.ClaimedJob;
import io.postrider.Event;
import io.postrider.HandlerTransactions;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.StartPoint;
import io.postrider.Worker;
import io.postrider.admin.Adoptions;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.Doctor;
import io.postrider.admin.EventLog;
import io.postrider.admin.Gauges;
import io.postrider.admin.Jobs;
import io.postrider.admin.Listeners;
import io.postrider.admin.Log;
import io.postrider.admin.Migrations;
import io.postrider.admin.Queues;
import io.postrider.admin.Relays;
import io.postrider.admin.Revocations;
import io.postrider.admin.Schedules;
import io.postrider.admin.Topics;
import io.postrider.admin.Verifier;
import io.postrider.admin.Watch;
import io.postrider.internal.access.JdbcRevocations;
import io.postrider.internal.adopt.JdbcAdoptions;
import io.postrider.internal.adopt.Mirrors;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.doctor.JdbcDoctor;
import io.postrider.internal.emit.Emitter;
import io.postrider.internal.emit.JdbcTopics;
import io.postrider.internal.history.JdbcEventLog;
import io.postrider.internal.jobs.JdbcJobs;
import io.postrider.internal.jobs.JdbcQueues;
import io.postrider.internal.listen.Assignments;
import io.postrider.internal.listen.JdbcDeadLetters;
import io.postrider.internal.listen.JdbcListeners;
import io.postrider.internal.listen.JdbcRelays;
import io.postrider.internal.listen.RunningListeners;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.JdbcLog;
import io.postrider.internal.metrics.JdbcGauges;
import io.postrider.internal.retain.Retention;
import io.postrider.internal.schedule.JdbcSchedules;
import io.postrider.internal.schema.JdbcMigrations;
import io.postrider.internal.sequence.Eras;
import io.postrider.internal.sequence.Sequencer;
import io.postrider.internal.verify.JdbcVerifier;
import io.postrider.internal.wake.LockGuard;
import io.postrider.internal.wake.NodeConnection;
import io.postrider.internal.watch.ActivityLog;
import io.postrider.internal.watch.Reports;
import io.postrider.internal.watch.SafeWatch;
import io.postrider.internal.work.Workers;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Postrider on one database, in this process.
 *
 * <pre>
 * NEW      emits and answers operators; listeners and workers that are added wait.
 * STARTED  by start(): the connection of the node, retention, listeners and workers run.
 * CLOSED   by close(): nothing runs; it still emits and answers operators.
 * </pre>
 */
final class Node implements Postrider {
    private static final Logger log = LoggerFactory.getLogger(Postrider.class);

    private final DataSource dataSource;
    private final Options options;
    private final Watch watch;
    private final ActivityLog lines;
    private final Database database;
    private final Emitter emitter;
    private final Heads heads;
    private final JdbcLog topics;
    private final Assignments assignments;
    private final RunningListeners listeners;
    private final Workers workers;
    private final List<Listener> waiting = new ArrayList<>();
    private final List<Worker> waitingWorkers = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private volatile @Nullable NodeConnection connection;
    private @Nullable Retention retention;
    private @Nullable Mirrors mirrors;
    private boolean closed;

    Node(DataSource dataSource, Options options) {
        this.dataSource = dataSource;
        this.options = options;
        this.watch = SafeWatch.of(options.watch());
        this.lines = new ActivityLog(options.logRate());
        Reports reports = new Reports(options.node(), watch, lines);
        this.database = limited(database(dataSource, options), options);
        this.emitter = new Emitter(database, options.payloadCap(), options.autocommit(), reports);
        this.heads = new Heads(watch);
        this.topics = new JdbcLog(database, heads);
        this.assignments = new Assignments(heads);
        this.listeners = new RunningListeners(database, heads, assignments, reports);
        this.workers = new Workers(database, heads, reports);
    }

    private static Database database(DataSource dataSource, Options options) {
        Database database = new Database(dataSource, SchemaName.of(options.schema()));
        HandlerTransactions transactions = options.handlerTransactions();
        return transactions == null ? database : database.withHandlerTransactions(transactions);
    }

    private static Database limited(Database database, Options options) {
        Database limited = database;
        if (options.statementTimeout() != null) {
            limited = limited.withPatience(options.statementTimeout());
        }
        if (options.lockTimeout() != null) {
            limited = limited.withLockTimeout(options.lockTimeout());
        }
        return limited;
    }

    @Override
    public Postrider migrate() {
        migrations().migrate();
        return this;
    }

    // ── producers ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public UUID emit(Connection caller, Event event) {
        return emitter.emit(caller, event);
    }

    @Override
    public void emitAll(Connection caller, List<Event> events) {
        emitter.emitAll(caller, events);
    }

    @Override
    public UUID enqueue(Connection caller, Job job) {
        return emitter.enqueue(caller, job);
    }

    @Override
    public void enqueueAll(Connection caller, List<Job> jobs) {
        emitter.enqueueAll(caller, jobs);
    }

    @Override
    public <T> T transaction(Function<Connection, T> work) {
        return database.transaction(session -> work.apply(session.connection()));
    }

    // ── what runs on this node ──────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void report(ClaimedJob job, int percent, @Nullable String note) {
        if (job == null) {
            throw PostriderException.refused("job must be given, was null");
        }
        if (percent < 0 || percent > 100) {
            throw PostriderException.refused("percent must be 0..100, was " + percent);
        }
        workers.report(job, percent, note);
    }

    @Override
    public synchronized Postrider add(Listener listener) {
        refuseClosed();
        if (names.contains(listener.name())) {
            throw PostriderException.refused("listener " + listener.name() + " was added twice");
        }
        if (connection == null) {
            waiting.add(listener);
        } else {
            listeners.register(listener);
            listeners.run(listener);
        }
        names.add(listener.name());
        return this;
    }

    @Override
    public synchronized Postrider add(Worker worker) {
        refuseClosed();
        String name = "queue:" + worker.queue();
        if (names.contains(name)) {
            throw PostriderException.refused("queue " + worker.queue() + " has a worker on this node already");
        }
        if (connection == null) {
            waitingWorkers.add(worker);
        } else {
            workers.register(worker);
            workers.run(worker);
        }
        names.add(name); // last, so that a call that failed can be repeated
        return this;
    }

    @Override
    public synchronized Postrider start() {
        refuseClosed();
        refuseLimits();
        if (connection != null) {
            throw new PostriderException(Kind.CONFLICT, "this node is already started");
        }
        migrations().requireUsable();
        waitingWorkers.forEach(workers::register);
        waiting.forEach(listeners::register); // first, so that a refused start has started nothing
        log.info("node_started {}", options);
        DataSource direct = options.direct();
        NodeConnection starting = new NodeConnection(
                database,
                direct == null ? dataSource : direct,
                options.poll(),
                watch,
                List.of(
                        new LockGuard(),
                        new Sequencer(heads, options.passSize(), options.notifies(), watch),
                        assignments,
                        workers.registration(),
                        new Eras(heads, watch)));
        connection = starting;
        waiting.forEach(listeners::run);
        waiting.clear();
        waitingWorkers.forEach(workers::run);
        waitingWorkers.clear();
        starting.start();
        retention = new Retention(database, options.segmentSize(), options.keep(), options.patience());
        retention.start();
        mirrors = new Mirrors(database);
        mirrors.start();
        return this;
    }

    @Override
    public boolean isConnected() {
        NodeConnection current = connection;
        return current != null && current.isConnected();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        workers.close();
        listeners.close();
        topics.close();
        if (retention != null) {
            retention.close();
        }
        if (mirrors != null) {
            mirrors.close();
        }
        if (connection != null) {
            connection.close();
            log.info("node_stopped node={}", options.node());
        }
        lines.close();
    }

    private void refuseClosed() {
        if (closed) {
            throw new PostriderException(Kind.CONFLICT, "this node is closed");
        }
    }

    /** Refuses these timeouts, which would abort passes, retention, takeovers and the work of handlers halfway. */
    private void refuseLimits() {
        if (options.statementTimeout() != null || options.lockTimeout() != null) {
            throw PostriderException.refused(
                    "a node with a statement timeout or a lock timeout cannot be started; they are for tools and health"
                            + " checks (Options.withStatementTimeout, Options.withLockTimeout)");
        }
    }

    // ── operators ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Listeners listeners() {
        return new JdbcListeners(database, options.node());
    }

    @Override
    public Relays relays() {
        return new JdbcRelays(database);
    }

    @Override
    public Jobs jobs() {
        return new JdbcJobs(database);
    }

    @Override
    public Queues queues() {
        return new JdbcQueues(database);
    }

    @Override
    public Topics topics() {
        return new JdbcTopics(database);
    }

    @Override
    public Schedules schedules() {
        return new JdbcSchedules(database);
    }

    @Override
    public DeadLetters deadLetters() {
        return new JdbcDeadLetters(database);
    }

    @Override
    public Log log() {
        return topics;
    }

    @Override
    public EventLog eventLog() {
        return new JdbcEventLog(database, listener -> listeners().reset(listener, StartPoint.beginning()));
    }

    @Override
    public Revocations revocations() {
        return new JdbcRevocations(database);
    }

    @Override
    public Adoptions adoptions() {
        return new JdbcAdoptions(database, jobs());
    }

    @Override
    public Migrations migrations() {
        return new JdbcMigrations(database, options.segmentSize(), options.payloadCap());
    }

    @Override
    public Doctor doctor() {
        DataSource direct = options.direct();
        return new JdbcDoctor(database, direct == null ? dataSource : direct, options.keep());
    }

    @Override
    public Verifier verifier() {
        return new JdbcVerifier(database);
    }

    @Override
    public Gauges gauges() {
        return new JdbcGauges(database);
    }
}
