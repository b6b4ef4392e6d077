package io.postrider.bench.jobs;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.BufferCounts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The sessions of a producer and of a worker, whose plans are cached as in a long-running node. */
final class ClaimSessions implements AutoCloseable {
    /** Jobs per claim. */
    static final int JOBS = 100;

    /** The jobs of the worker's last claim are done. */
    private static final String SETTLE = """
            select count(*) from (
              select postrider.settle(c.worker, array[c.n], array[int8multirange(int8range(c.from_position, c.to_position, '[]'))],
                array['done'], array[null::jsonb]) as settled
              from postrider.claim c where c.worker = %d order by c.n desc limit 1) s
            where s.settled = 'written'""";

    private final Connection producer;
    private final Connection worker;

    /** As sent by a worker that has settled everything before. */
    private final String claim;

    private final String claimDue;
    private final String settle;

    ClaimSessions(BenchDatabase database) throws SQLException {
        producer = database.connect("bench-producers");
        worker = database.connect("bench-node");
        long number =
                Statements.number(worker, "insert into postrider.worker (node) values ('bench-claims') returning id");
        claim = "select * from postrider.claim('%s', '%s', %d, %d, 500, 8388608, null)"
                .formatted(PostriderJobs.QUEUE, PostriderJobs.LANE, number, JOBS);
        claimDue = "select * from postrider.claim_delayed('%s', postrider.lanes('%s'), %d, %d, 8388608, '{%s}', 0)"
                .formatted(PostriderJobs.QUEUE, PostriderJobs.QUEUE, number, JOBS, PostriderJobs.TYPE);
        settle = SETTLE.formatted(number);
    }

    /** Claims fresh jobs and settles them as done. Returns the microseconds of the claim. */
    double claim() throws SQLException {
        enqueue();
        double micros = micros(claim, 1 + JOBS);
        settle();
        return micros;
    }

    /** Claims individually scheduled jobs, of which none is due. Returns the microseconds. */
    double claimNothingDue() throws SQLException {
        return micros(claimDue, 0);
    }

    /** The number of pages that a claim reads. */
    long pagesOfClaim() throws SQLException {
        enqueue();
        long pages = BufferCounts.ofNext(worker, claim);
        settle();
        return pages;
    }

    long pagesOfNothingDue() throws SQLException {
        return BufferCounts.of(worker, claimDue);
    }

    private void enqueue() throws SQLException {
        PostriderJobs.enqueueMany(producer, JOBS);
        PostriderLog.sequence(producer);
    }

    private void settle() throws SQLException {
        if (Statements.number(worker, settle) != 1) {
            throw new IllegalStateException("what was claimed could not be settled");
        }
    }

    private double micros(String sql, int expected) throws SQLException {
        try (PreparedStatement statement = worker.prepareStatement(sql)) {
            int found = 0;
            long began = System.nanoTime();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found++;
                }
            }
            double took = (System.nanoTime() - began) / 1e3;
            if (found != expected) {
                throw new IllegalStateException(found + " rows instead of " + expected + " from " + sql);
            }
            return took;
        }
    }

    @Override
    public void close() throws SQLException {
        producer.close();
        worker.close();
    }
}
