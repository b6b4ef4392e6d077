package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Uses Postrider's own queue: one job for each message, all messages of one request in one transaction. */
final class QueueIngestion implements Ingestion {
    private static final Predicate<String> IS_JOB =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").asMatchPredicate();

    /**
     * Jobs that wait or run, and committed jobs without a position, which the view does not show yet. One lookup by index for
     * each id: otherwise the planner may read the whole log for a long list.
     */
    private static final String HELD = "select r.id from unnest(?::uuid[]) r (id)"
            + " left join lateral (select j.state from postrider.jobs j where j.id = r.id"
            + "  order by j.state in ('PENDING', 'IN_PROGRESS') desc limit 1) j on true"
            + " left join lateral (select true as committed from postrider.event e where e.event_id = r.id"
            + "  and e.topic >= 'queue:' and e.topic < 'queue;' limit 1) e on true"
            + " where coalesce(j.state in ('PENDING', 'IN_PROGRESS'), e.committed)";

    private final Postrider postrider;
    private final DataSource dataSource;
    private final IngestJobs jobs;

    QueueIngestion(Postrider postrider, DataSource dataSource, IngestJobs jobs) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.jobs = jobs;
    }

    @Override
    public List<String> accept(List<NewMessage> messages) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            List<String> receipts = new ArrayList<>();
            for (NewMessage message : messages) {
                receipts.add(postrider.enqueue(connection, jobs.of(message)).toString());
            }
            connection.commit();
            return receipts;
        } catch (SQLException e) {
            throw new PostriderException(
                    PostriderException.Kind.UNREACHABLE, "the message could not be queued; send it again", e);
        }
    }

    /** The receipt of a stream is no job of this queue. */
    @Override
    public Set<String> held(Collection<String> receipts) {
        List<String> ids = receipts.stream().filter(IS_JOB).toList();
        try (Connection connection = dataSource.getConnection()) {
            return Set.copyOf(Rows.queryWithin(connection, Ledger.DEADLINE, HELD, row -> row.getString("id"), ids));
        } catch (SQLException e) {
            throw new PostriderException(
                    PostriderException.Kind.UNREACHABLE, "the jobs of the messages could not be read; try again", e);
        }
    }

    @Override
    public @Nullable Ahead ahead() {
        return null;
    }
}
