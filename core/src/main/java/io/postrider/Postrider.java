package io.postrider;

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
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The entry point to Postrider on one database: emit events and enqueue jobs in your own transactions, listen to topics, work on
 * queues.
 *
 * <p>Emitting, enqueuing and all operator functions need only this object. {@link #start} makes this process a node: it then also
 * assigns positions to committed events, and runs its listeners and workers. Events get positions only while at least one node
 * runs. Any number of nodes can share one database. Thread-safe.
 *
 * <p>Implemented by the library itself: methods may be added in a minor release.
 */
public interface Postrider extends AutoCloseable {
    /** Creates a Postrider on this data source, with default options. Once started, it keeps one connection open for itself. */
    static Postrider on(DataSource dataSource) {
        return on(dataSource, Options.defaults());
    }

    /** Creates a Postrider on this data source, with these options. */
    static Postrider on(DataSource dataSource, Options options) {
        return Implementation.factory()
                .on(Refuse.missing("data source", dataSource), Refuse.missing("options", options));
    }

    /** Creates or updates the schema. Many nodes may call it at the same time; the role must be allowed to create the schema. */
    Postrider migrate();

    /**
     * Writes an event in the transaction of this connection: the event is delivered if and only if the transaction commits.
     * Returns the id of the event. This method and the three below refuse a connection in autocommit mode unless
     * {@link Options#withAutocommit} allows it.
     */
    UUID emit(Connection connection, Event event);

    /** Writes events in this order, in the transaction of this connection. */
    void emitAll(Connection connection, List<Event> events);

    /**
     * Writes a job in the transaction of this connection: the job runs if and only if the transaction commits. Returns the id of the
     * job. If an unfinished job holds its unique key, returns the id of that job and writes nothing.
     */
    UUID enqueue(Connection connection, Job job);

    /** Writes jobs in this order, in the transaction of this connection. */
    void enqueueAll(Connection connection, List<Job> jobs);

    /**
     * Runs work in one READ COMMITTED transaction on a connection of the data source: commits if it returns, rolls back if it
     * throws. For callers without a transaction.
     */
    <T> T transaction(Function<Connection, T> work);

    /**
     * Reports the progress of a job that runs on this node. The view {@code jobs} shows it until the job ends. Each call is a
     * commit of its own, so call it occasionally, not for every step.
     *
     * @param note what the job is doing; null: no note
     */
    void report(ClaimedJob job, int percent, @Nullable String note);

    /** Adds a listener. It runs from {@link #start} on, or at once on a started node. */
    Postrider add(Listener listener);

    /** Adds a worker for a queue. It works from {@link #start} on, or at once on a started node. */
    Postrider add(Worker worker);

    /**
     * Starts the node: it assigns positions to committed events, runs its listeners and workers, and maintains the segments.
     *
     * @throws PostriderException of kind CONFLICT if the node is already started or closed, or the server or schema is
     *     unsupported; of kind REFUSED if the options have a statement timeout or a lock timeout
     */
    Postrider start();

    /**
     * Whether this node is started and the connection that it keeps open is up. Without that connection it can still emit, but
     * runs no listener and no worker.
     */
    boolean isConnected();

    /** Pauses a listener on every node until it is resumed. */
    default void pause(String listener) {
        listeners().pause(listener);
    }

    /** Resumes a paused listener. */
    default void resume(String listener) {
        listeners().resume(listener);
    }

    /** Moves a listener to another position in its topic, wherever it runs. Returns its new cursor. */
    default long reset(String listener, StartPoint to) {
        return listeners().reset(listener, to);
    }

    /** The cursor that {@link #reset} would set. */
    default long cursorAt(String listener, StartPoint to) {
        return listeners().cursorAt(listener, to);
    }

    /** Lists, pauses and resets listeners. */
    Listeners listeners();

    /** Lists relays and tests their sinks. */
    Relays relays();

    /** Finds, lists, cancels and retries jobs. */
    Jobs jobs();

    /** Lists, pauses and limits queues. */
    Queues queues();

    /** Sets which fields the events of a topic must have. */
    Topics topics();

    /** Sets and lists schedules. */
    Schedules schedules();

    /** Finds, replays and discards dead letters. */
    DeadLetters deadLetters();

    /** Reads the log itself: its topics, their first and last positions, a range of positions, and new events. */
    Log log();

    /** The event log: a searchable copy of topics, for audit and analytics. */
    EventLog eventLog();

    /** Revokes tokens. */
    Revocations revocations();

    /** Takes over existing outbox and job tables while their writers go on. */
    Adoptions adoptions();

    /** Installs and updates the schema, and compares it with this version. */
    Migrations migrations();

    /** Checks the database and advises how to fix each problem. */
    Doctor doctor();

    /** Checks that no event is lost, duplicated or out of order, by reading the database only. */
    Verifier verifier();

    /** Reads figures for metrics. */
    Gauges gauges();

    /**
     * Stops the node: lets listeners and workers finish their current work and releases its locks and claims. Emitting still
     * works.
     */
    @Override
    void close();

    /** Creates the implementation. Implemented by the library itself, and found with {@link java.util.ServiceLoader}. */
    interface Factory {
        /** Creates a Postrider on this data source, with these options. */
        Postrider on(DataSource dataSource, Options options);
    }
}
