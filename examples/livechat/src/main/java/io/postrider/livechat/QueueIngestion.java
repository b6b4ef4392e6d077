package io.postrider.livechat;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.jackson.JacksonMapper;
import io.postrider.work.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Through Postrider's own queue: one job for each message, all of one request in one transaction. */
final class QueueIngestion implements Ingestion {
    private final Postrider postrider;
    private final DataSource dataSource;
    private final JacksonMapper mapper;

    QueueIngestion(Postrider postrider, DataSource dataSource, JacksonMapper mapper) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.mapper = mapper;
    }

    @Override
    public List<String> accept(List<NewMessage> messages) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            List<String> receipts = new ArrayList<>();
            for (NewMessage message : messages) {
                receipts.add(postrider.enqueue(connection, job(message)).toString());
            }
            connection.commit();
            return receipts;
        } catch (SQLException e) {
            throw new PostriderException(
                    PostriderException.Kind.UNREACHABLE, "the message could not be queued; send it again", e);
        }
    }

    /**
     * The unique key takes a message that is sent again while its job waits for the job that it is. Later than that, it is the
     * message's row that tells.
     */
    private Job job(NewMessage message) {
        Author author = message.author();
        return Job.of(LiveChat.INGEST, "ingest", mapper.write(message))
                .withKey(author.id())
                .withUnique(author.kind().text() + "/" + author.id() + "/" + message.client())
                .withProject(message.project())
                .withUser(author.id());
    }

    @Override
    public boolean holds(String receipt) {
        return postrider
                .jobs()
                .find(UUID.fromString(receipt))
                .filter(job -> job.state() == Jobs.State.PENDING || job.state() == Jobs.State.IN_PROGRESS)
                .isPresent();
    }
}
