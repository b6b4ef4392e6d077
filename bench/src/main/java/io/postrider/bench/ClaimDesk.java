package io.postrider.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The sessions of a producer and of a worker, whose plans are made, as those of a node that runs for long. */
final class ClaimDesk implements AutoCloseable {
    /** Jobs of one claim. */
    static final int JOBS = 100;

    /** What the worker claimed last is done. */
    private static final String SETTLE = """
            select count(*) from (
              select postrider.settle(c.worker, array[c.n], array[int8multirange(int8range(c.from_position, c.to_position, '[]'))],
                array['done'], array[null::jsonb]) as settled
              from postrider.claim c where c.worker = %d order by c.n desc limit 1) s
            where s.settled = 'written'""";

    private final Connection producer;
    private final Connection worker;

    /** As a worker says it that has settled all it had before. */
    private final String claim;

    private final String claimDue;
    private final String settle;

    ClaimDesk(BenchDatabase database) throws SQLException {
        producer = database.connect("bench-producers");
        worker = database.connect("bench-node");
        long number = Sqls.number(worker, "insert into postrider.worker (node) values ('bench-claims') returning id");
        claim = "select * from postrider.claim('%s', '%s', %d, %d, 500, 8388608, null)"
                .formatted(PostriderJobs.QUEUE, PostriderJobs.LANE, number, JOBS);
        claimDue = "select * from postrider.claim_delayed('%s', postrider.lanes('%s'), %d, %d, 8388608, '{%s}', 0)"
                .formatted(PostriderJobs.QUEUE, PostriderJobs.QUEUE, number, JOBS, PostriderJobs.TYPE);
        settle = SETTLE.formatted(number);
    }

    /** Claims fresh jobs and has them done. Gives the microseconds of the claim. */
    double claim() throws SQLException {
        enqueue();
        double micros = micros(claim, 1 + JOBS);
        settle();
        return micros;
    }

    /** Claims jobs that go by themselves, of which none is due. Gives the microseconds. */
    double claimNothingDue() throws SQLException {
        return micros(claimDue, 0);
    }

    /** The pages that a claim looks at. */
    long pagesOfClaim() throws SQLException {
        enqueue();
        long pages = Buffers.ofNext(worker, claim);
        settle();
        return pages;
    }

    long pagesOfNothingDue() throws SQLException {
        return Buffers.of(worker, claimDue);
    }

    private void enqueue() throws SQLException {
        PostriderJobs.enqueueMany(producer, JOBS);
        PostriderLog.sequence(producer);
    }

    private void settle() throws SQLException {
        if (Sqls.number(worker, settle) != 1) {
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
