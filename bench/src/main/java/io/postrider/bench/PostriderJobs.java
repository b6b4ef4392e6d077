package io.postrider.bench;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.Priority;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Postrider's side where jobs are measured: one queue, its normal lane, one type. */
final class PostriderJobs {
    static final String QUEUE = "jobs";
    static final String TYPE = "noop";
    static final String LANE = Job.topicOf(QUEUE, Priority.NORMAL);

    private final Postrider postrider;

    private PostriderJobs(Postrider postrider) {
        this.postrider = postrider;
    }

    static PostriderJobs install(BenchDatabase database) {
        return new PostriderJobs(Postrider.on(database.direct("bench-install")).migrate());
    }

    /** One job, in the caller's transaction. */
    void enqueue(Connection connection, UUID id, long number) {
        postrider.enqueue(connection, job(id, number));
    }

    /** Jobs with these ids, in the caller's transaction, by one statement. */
    void enqueueAll(Connection connection, List<UUID> ids) {
        postrider.enqueueAll(
                connection,
                ids.stream().map(id -> job(id, id.getLeastSignificantBits())).toList());
    }

    private static Job job(UUID id, long number) {
        return Job.of(QUEUE, TYPE, Payloads.of(number)).withId(id).withKey(Payloads.key(number));
    }

    /** Without a node, as many transactions of 1,000. */
    static void enqueueMany(Connection connection, long jobs) throws SQLException {
        PostriderLog.insertMany(connection, jobs, LANE, TYPE, "null");
    }

    /** The same for jobs that are due tomorrow. */
    static void scheduleMany(Connection connection, long jobs) throws SQLException {
        PostriderLog.insertMany(connection, jobs, LANE, TYPE, "clock_timestamp() + interval '1 day'");
    }

    /** How many jobs have this fate, of claims after one. */
    static long settled(Connection connection, String fate, long afterClaim) throws SQLException {
        return Sqls.number(
                connection,
                "select coalesce(sum(upper(r) - lower(r)), 0)::int8 from postrider.settlement s, unnest(s.positions) r"
                        + " where s.fate = '" + fate + "' and s.n > " + afterClaim);
    }

    /** The last claim of which something is settled; 0 if there is none. */
    static long lastSettledClaim(Connection connection) throws SQLException {
        return Sqls.number(connection, "select coalesce(max(s.n), 0) from postrider.settlement s");
    }
}
