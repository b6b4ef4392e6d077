package io.postrider.bench.jobs;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.Priority;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.Payloads;
import io.postrider.bench.load.PostriderLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Postrider's side of the job scenarios: one queue, its normal lane, one type. */
public final class PostriderJobs {
    public static final String QUEUE = "jobs";
    public static final String TYPE = "noop";
    static final String LANE = Job.topicOf(QUEUE, Priority.NORMAL);

    private final Postrider postrider;

    private PostriderJobs(Postrider postrider) {
        this.postrider = postrider;
    }

    public static PostriderJobs install(BenchDatabase database) {
        return new PostriderJobs(Postrider.on(database.direct("bench-install")).migrate());
    }

    /** One job, in the caller's transaction. */
    public void enqueue(Connection connection, UUID id, long number) {
        postrider.enqueue(connection, job(id, number));
    }

    /** Jobs with these ids, in the caller's transaction, with one statement. */
    public void enqueueAll(Connection connection, List<UUID> ids) {
        postrider.enqueueAll(
                connection,
                ids.stream().map(id -> job(id, id.getLeastSignificantBits())).toList());
    }

    private static Job job(UUID id, long number) {
        return Job.of(QUEUE, TYPE, Payloads.of(number)).withId(id).withKey(Payloads.key(number));
    }

    /** Without a node, in transactions of 1,000. */
    static void enqueueMany(Connection connection, long jobs) throws SQLException {
        PostriderLog.insertMany(connection, jobs, LANE, TYPE, "null");
    }

    /** The same for jobs that are due tomorrow. */
    static void scheduleMany(Connection connection, long jobs) throws SQLException {
        PostriderLog.insertMany(connection, jobs, LANE, TYPE, "clock_timestamp() + interval '1 day'");
    }

    /** The number of jobs with this outcome, of claims after the given one. */
    static long settled(Connection connection, String fate, long afterClaim) throws SQLException {
        return Statements.number(
                connection,
                "select coalesce(sum(upper(r) - lower(r)), 0)::int8 from postrider.settlement s, unnest(s.positions) r"
                        + " where s.fate = '" + fate + "' and s.n > " + afterClaim);
    }

    /** The last claim with a settled job; 0 if there is none. */
    static long lastSettledClaim(Connection connection) throws SQLException {
        return Statements.number(connection, "select coalesce(max(s.n), 0) from postrider.settlement s");
    }
}
