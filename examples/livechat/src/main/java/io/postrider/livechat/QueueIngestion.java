package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.work.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Through Postrider's own queue: one job for each message, all of one request in one transaction. */
final class QueueIngestion implements Ingestion {
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

    @Override
    public boolean holds(String receipt) {
        return postrider
                .jobs()
                .find(UUID.fromString(receipt))
                .filter(job -> job.state() == Jobs.State.PENDING || job.state() == Jobs.State.IN_PROGRESS)
                .isPresent();
    }

    @Override
    public @Nullable Ahead ahead() {
        return null;
    }
}
