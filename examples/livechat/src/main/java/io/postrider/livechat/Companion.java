package io.postrider.livechat;

import io.postrider.ClaimedJob;
import io.postrider.Fate;
import io.postrider.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Updates the companion's memory, answers, and settles the job in one transaction. {@link #failNext} makes it fail; then
 * the page shows the job's retries.
 */
final class Companion {
    /** Short, because a person is watching: immediately, 1 s, 2 s, 4 s, then a dead letter. */
    static final RetryPolicy RETRY =
            RetryPolicy.table(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));

    private static final String COUNT =
            "insert into livechat.companion (conversation_id) values (?) on conflict do nothing";
    private static final String RECALL =
            "select c.counted, c.replies, c.called, c.last_intent from livechat.companion c"
                    + " where c.conversation_id = ? for update";
    private static final String REMEMBER = "update livechat.companion set counted = ?, replies = ?, called = ?,"
            + " last_intent = ? where conversation_id = ?";

    private final DataSource dataSource;
    private final Intake intake;

    Companion(DataSource dataSource, Intake intake) {
        this.dataSource = dataSource;
        this.intake = intake;
    }

    Fate reply(Connection connection, Message message, ClaimedJob job) throws SQLException {
        stumbleIfTold(job);
        Memory memory = recall(connection, message).counting();
        @Nullable String answer;
        if (message.pilot()) {
            answer = Replies.count(memory);
            memory = answer == null ? memory : memory.answering("count");
        } else {
            Replies.Reply reply = Replies.to(message.text(), message.mentions(), memory);
            answer = reply.text();
            memory = reply.memory();
        }
        remember(connection, message, memory);
        if (answer != null) {
            say(connection, answer, message, job);
        }
        return Fate.done();
    }

    /** The id is derived from the message that it answers: even if this job ran twice, there would be no second message. */
    private void say(Connection connection, String answer, Message message, ClaimedJob job) throws SQLException {
        NewMessage wanted = new NewMessage(
                String.valueOf(job.projectId()),
                Author.COMPANION,
                message.conversation(),
                "answers-" + message.id(),
                answer,
                false,
                null);
        Intake.Place place = new Intake.Place(
                message.conversation(), wanted.project(), message.author().id());
        intake.write(
                connection, new Intake.Draft(wanted, place, List.of(), job.createdAt(), message.id(), job.attempt()));
    }

    private static Memory recall(Connection connection, Message message) throws SQLException {
        Rows.run(connection, COUNT, message.conversation());
        return Rows.one(
                        connection,
                        RECALL,
                        row -> new Memory(
                                row.getLong("counted"),
                                row.getLong("replies"),
                                row.getString("called"),
                                row.getString("last_intent")),
                        message.conversation())
                .orElseThrow();
    }

    private static void remember(Connection connection, Message message, Memory memory) throws SQLException {
        Rows.run(
                connection,
                REMEMBER,
                memory.counted(),
                memory.replies(),
                memory.called(),
                memory.lastIntent(),
                message.conversation());
    }

    // ── simulated failures ──────────────────────────────────────────────────────────────────────────────────────────

    /** The first attempts of the next job throw, all of the same job, in whichever process they run. */
    void failNext(int attempts) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Rows.run(connection, "update livechat.companion_failures set ahead = ?, job = null", attempts);
        }
    }

    /**
     * The simulated failures that are left.
     *
     * @param ahead number of attempts that will still throw
     * @param job the job that fails; null: none has started yet
     */
    record Told(int ahead, @Nullable UUID job) {}

    Told told() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Rows.one(
                            connection,
                            "select f.ahead, f.job from livechat.companion_failures f",
                            row -> new Told(row.getInt("ahead"), row.getObject("job", UUID.class)))
                    .orElseThrow();
        }
    }

    /**
     * On a separate connection: the failure must stay counted when the job's transaction rolls back. A job
     * that has failed before does not take over the failures of another job: its attempts would not suffice.
     */
    private void stumbleIfTold(ClaimedJob job) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            String take = "update livechat.companion_failures set ahead = ahead - 1, job = ?"
                    + " where ahead > 0 and (job = ? or job is null and ? = 1)";
            if (Rows.run(connection, take, job.id(), job.id(), job.attempt()) > 0) {
                throw new IllegalStateException("the companion was asked to fail");
            }
        }
    }
}
