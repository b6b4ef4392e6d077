package io.postrider.work;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What an operator asks about queues, and does with them. Safe to share. */
public final class Queues {
    private static final Sql LIST = Sql.file("work/queues");
    private static final Sql PAUSE = Sql.file("work/pause");
    private static final Sql LIMIT = Sql.file("work/limit");

    private final Database database;

    public Queues(Database database) {
        this.database = database;
    }

    /** A row of the view {@code queues}. */
    public record Status(
            String name,
            long depth,
            long scheduled,
            long running,
            @Nullable Instant oldestAt,
            double throughput,
            long deadLetters,
            boolean paused,
            @Nullable Long runningLimit,
            @Nullable Long keyLimit,
            @Nullable Long rate) {
        static Status read(Row row) throws SQLException {
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
                    row.int8OrNull("rate"));
        }
    }

    /**
     * How much of a queue may run at once, on all nodes together. Immutable; none of them limits anything unless given.
     *
     * @param running jobs at once
     * @param perKey jobs of one key at once; 1 is serial
     * @param rate jobs begun in any {@code period}
     */
    public record Limits(
            @Nullable Integer running,
            @Nullable Integer perKey,
            @Nullable Integer rate,
            @Nullable Duration period) {
        /** Refuses what is less than 1, and a rate without a period. */
        public Limits {
            refuse("running limit", running);
            refuse("limit per key", perKey);
            refuse("rate", rate);
            if ((rate == null) != (period == null)) {
                throw PostriderException.refused("a rate needs a period, and a period a rate");
            }
            if (period != null && (period.toMillis() < 1 || period.toDays() > 366)) {
                throw PostriderException.refused("rate period must be PT0.001S..P366D, was " + period);
            }
        }

        private static void refuse(String what, @Nullable Integer value) {
            if (value != null && value < 1) {
                throw PostriderException.refused(what + " must be 1.." + Integer.MAX_VALUE + ", was " + value);
            }
        }

        /** As much as there are slots. */
        public static Limits none() {
            return new Limits(null, null, null, null);
        }

        /** At most so many at once. */
        public Limits withRunning(int most) {
            return new Limits(most, perKey, rate, period);
        }

        /** At most so many of one key at once. */
        public Limits withPerKey(int most) {
            return new Limits(running, most, rate, period);
        }

        /** At most so many begun in any period. */
        public Limits withRate(int most, Duration in) {
            return new Limits(running, perKey, most, in);
        }
    }

    /** Every queue in the database. */
    public List<Status> list() {
        return database.autocommit(session -> session.query(LIST, Bind::nothing, Status::read));
    }

    /** Nothing of this queue is begun any more, on any node, until it is resumed. What runs, runs on. */
    public void pause(String queue) {
        pause(queue, true);
    }

    /** Lets a paused queue go on. */
    public void resume(String queue) {
        pause(queue, false);
    }

    private void pause(String queue, boolean paused) {
        database.transaction(session ->
                session.query(PAUSE, bind -> bind.text("queue", queue).bool("paused", paused), row -> true));
    }

    /** Pauses a queue and waits until nothing of it runs. False if that takes longer. */
    public boolean drain(String queue, Duration most) throws InterruptedException {
        pause(queue);
        long until = System.nanoTime() + most.toNanos();
        while (list().stream().anyMatch(one -> one.name().equals(queue) && one.running() > 0)) {
            if (System.nanoTime() > until) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return true;
    }

    /** How much of a queue may run at once, from now on. */
    public void limit(String queue, Limits limits) {
        if (!queue.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,79}")) {
            throw new PostriderException(
                    Kind.REFUSED, "queue must match [A-Za-z0-9][A-Za-z0-9._-]*, was '" + queue + "'");
        }
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
}
