package io.postrider.redis;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.redis.RedisIngest.Entry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;

/** Turns entries into jobs in one transaction, and returns those that cannot become a job with the reason. Safe to share. */
final class Mover {
    private final Postrider postrider;
    private final DataSource dataSource;
    private final IngestOptions options;
    private final Function<Entry, Job> toJob;

    Mover(Postrider postrider, DataSource dataSource, IngestOptions options, Function<Entry, Job> toJob) {
        this.postrider = Checks.missing("postrider", postrider);
        this.dataSource = Checks.missing("data source", dataSource);
        this.options = options;
        this.toJob = Checks.missing("job", toJob);
    }

    /**
     * Afterwards each of these entries is a committed job or is returned with the reason. An exception means that the database
     * failed; the same entries can be moved again.
     *
     * @param again whether they were delivered before, and so may already be jobs
     */
    Map<Entry, String> move(List<Entry> entries, boolean again) throws SQLException {
        Map<Entry, String> refused = new LinkedHashMap<>();
        Map<Entry, Job> jobs = new LinkedHashMap<>();
        for (Entry entry : entries) {
            UUID id = jobId(options.stream(), entry.number());
            if (mayBeForgotten(entry) && postrider.jobs().find(id).isPresent()) {
                continue;
            }
            try {
                Job job = toJob.apply(entry).withId(id);
                jobs.put(entry, job.withUnique(options.stream() + " " + entry.id(), options.remembered()));
            } catch (RuntimeException e) {
                refused.put(entry, String.valueOf(e.getMessage()));
            }
        }
        enqueue(jobs, refused);
        return refused;
    }

    /**
     * The key is kept from after the entry was added, so it is reliable for younger entries. Half the time, to allow for clock
     * skew.
     */
    private boolean mayBeForgotten(Entry entry) {
        long age = System.currentTimeMillis() - addedAt(entry.number());
        return age > options.remembered().toMillis() / 2;
    }

    private void enqueue(Map<Entry, Job> jobs, Map<Entry, String> refused) throws SQLException {
        try {
            enqueue(new ArrayList<>(jobs.values()));
        } catch (PostriderException e) {
            if (e.kind() != Kind.REFUSED) {
                throw e;
            }
            for (Map.Entry<Entry, Job> one : jobs.entrySet()) { // find the invalid one by enqueueing each alone
                enqueueAlone(one.getKey(), one.getValue(), refused);
            }
        }
    }

    private void enqueueAlone(Entry entry, Job job, Map<Entry, String> refused) throws SQLException {
        try {
            enqueue(List.of(job));
        } catch (PostriderException e) {
            if (e.kind() != Kind.REFUSED) {
                throw e;
            }
            refused.put(entry, String.valueOf(e.getMessage()));
        }
    }

    private void enqueue(List<Job> jobs) throws SQLException {
        if (jobs.isEmpty()) {
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                postrider.enqueueAll(connection, jobs);
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                rollBack(connection, e);
                throw e;
            }
            connection.setAutoCommit(true);
        }
    }

    private static void rollBack(Connection connection, Exception cause) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Deterministic for an entry; begins with the entry's time (UUID version 7), so that neighbours share a page of the index.
     */
    static UUID jobId(String stream, String number) {
        UUID name = UUID.nameUUIDFromBytes((stream + " " + number).getBytes(StandardCharsets.UTF_8));
        long high = addedAt(number) << 16 | 0x7000 | name.getMostSignificantBits() & 0x0FFF;
        return new UUID(high, name.getLeastSignificantBits());
    }

    /** The first half of an entry's number is the server's time in milliseconds. */
    private static long addedAt(String number) {
        return Long.parseLong(number.substring(0, number.indexOf('-')));
    }
}
