package io.postrider.internal.jobs;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Queues;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Queues in the database. Thread-safe. */
public final class JdbcQueues implements Queues {
    private static final Sql LIST = Sql.file("jobs/queues");
    private static final Sql EXISTS = Sql.file("jobs/is_queue");
    private static final Sql PAUSE = Sql.file("jobs/pause");
    private static final Sql LIMIT = Sql.file("jobs/limit");
    private static final Sql LEASE = Sql.file("jobs/lease");
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(3);
    private static final Duration LONGEST_LEASE = Duration.ofHours(1);

    private final Database database;

    public JdbcQueues(Database database) {
        this.database = database;
    }

    private static Status status(Row row) throws SQLException {
        return new Status(
                row.text("name"),
                row.int8("depth"),
                row.int8("scheduled"),
                row.int8("running"),
                row.instantOrNull("oldest_at"),
                Double.parseDouble(row.text("throughput")),
                row.int8("dead_letters"),
                row.bool("paused"),
                row.int8OrNull("running_limit"),
                row.int8OrNull("key_limit"),
                row.int8OrNull("rate"),
                lease(row.int8OrNull("lease")));
    }

    private static @Nullable Duration lease(@Nullable Long millis) {
        return millis == null ? null : Duration.ofMillis(millis);
    }

    @Override
    public List<Status> list() {
        return database.autocommit(session -> session.query(LIST, Bind::nothing, JdbcQueues::status));
    }

    @Override
    public boolean exists(String queue) {
        return database.autocommit(
                        session -> session.one(EXISTS, bind -> bind.text("name", queue), row -> row.bool("there")))
                .orElse(false);
    }

    @Override
    public void pause(String queue) {
        pause(queue, true);
    }

    @Override
    public void resume(String queue) {
        pause(queue, false);
    }

    private void pause(String queue, boolean paused) {
        database.transaction(session ->
                session.query(PAUSE, bind -> bind.text("queue", queue).bool("paused", paused), row -> true));
    }

    @Override
    public boolean drain(String queue, Duration most) throws InterruptedException {
        pause(queue);
        long until = System.nanoTime() + most.toNanos();
        while (list().stream().anyMatch(one -> one.name().equals(queue) && one.running() > 0)) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return true;
    }

    @Override
    public void limit(String queue, Limits limits) {
        refuseName(queue);
        Duration period = limits.period();
        database.transaction(session -> session.query(
                LIMIT,
                bind -> bind.text("queue", queue)
                        .int8OrNull("running", limits.running() == null ? null : (long) limits.running())
                        .int8OrNull("per_key", limits.perKey() == null ? null : (long) limits.perKey())
                        .int8OrNull("rate", limits.rate() == null ? null : (long) limits.rate())
                        .int8OrNull("period", period == null ? null : period.toMillis()),
                row -> true));
    }

    @Override
    public void lease(String queue, @Nullable Duration lease) {
        refuseName(queue);
        if (lease != null && (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0)) {
            throw PostriderException.refused(
                    "lease must be " + SHORTEST_LEASE + ".." + LONGEST_LEASE + ", was " + lease);
        }
        database.transaction(session -> session.query(
                LEASE,
                bind -> bind.text("queue", queue).int8OrNull("lease", lease == null ? null : lease.toMillis()),
                row -> true));
    }

    private static void refuseName(String queue) {
        if (!queue.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,79}")) {
            throw new PostriderException(
                    Kind.REFUSED, "queue must match [A-Za-z0-9][A-Za-z0-9._-]*, was '" + queue + "'");
        }
    }
}
