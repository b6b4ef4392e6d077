package io.postrider.livechat;

import io.postrider.ClaimedJob;
import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Postrider;
import io.postrider.jackson.JacksonMapper;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Saves an acknowledged message in <em>one</em> transaction: the visitor, the conversation, the message, the
 * event. If any of them fails, nothing remains. The job that called us is settled in the same transaction, so a worker
 * that is killed in the middle has done nothing, and one that is killed at the end has done it once.
 */
final class Intake {
    private final Postrider postrider;
    private final JacksonMapper mapper;

    Intake(Postrider postrider, JacksonMapper mapper) {
        this.postrider = postrider;
        this.mapper = mapper;
    }

    Fate handle(Connection connection, NewMessage wanted, ClaimedJob job) throws SQLException {
        try {
            Instant accepted = wanted.accepted() == null ? job.createdAt() : wanted.accepted();
            return save(connection, trusted(wanted, job), accepted)
                    .map(message -> Fate.done("{\"message\":" + message.id() + "}"))
                    .orElseGet(() -> Fate.done("{\"repeat\":true}"));
        } catch (NoSuchConversation e) {
            return Fate.dead("the conversation does not belong to this project; retrying cannot change that");
        } catch (Refusal e) {
            return Fate.dead("the message is refused; retrying cannot change that: " + e.getMessage());
        }
    }

    /**
     * Project and author come from the job, where the server has put those of the token; the payload may say anything. The limits are
     * checked again: whoever may enqueue on this queue does not have to use our API.
     */
    private static NewMessage trusted(NewMessage wanted, ClaimedJob job) {
        String project = job.projectId();
        String user = job.userId();
        Author author = wanted.author();
        if (project == null || user == null || author == null || author.kind() == null) {
            throw Refusal.badRequest("The job must have a project and a user, and its payload an author.");
        }
        boolean agent = author.kind() == Author.Kind.AGENT;
        if (author.kind() == Author.Kind.COMPANION || (agent && !LiveChat.AGENTS.containsKey(user))) {
            throw Refusal.forbidden("The user of the job is not the author that its payload names.");
        }
        return Submissions.message(
                new Guest(user, project, agent),
                new Submissions.Said(wanted.client(), wanted.text(), wanted.conversation(), wanted.pilot()));
    }

    /**
     * Saves the message and emits its event; empty if it had been saved before, and then emits nothing.
     *
     * @param acceptedAt when it was queued: determines its place in the conversation, whenever it is saved
     */
    Optional<Message> save(Connection connection, NewMessage wanted, Instant acceptedAt) throws SQLException {
        Place place = wanted.author().kind() == Author.Kind.VISITOR
                ? conversation(connection, visitor(connection, wanted), wanted.project())
                : existing(connection, wanted);
        List<String> mentions = Mentions.in(connection, wanted.project(), wanted.text());
        Draft draft = new Draft(wanted, place, mentions, acceptedAt, null, 1);
        return write(connection, draft);
    }

    // ── the steps ───────────────────────────────────────────────────────────────────────────────────────────────────

    private static String visitor(Connection connection, NewMessage wanted) throws SQLException {
        Author author = wanted.author();
        Rows.run(
                connection,
                "insert into livechat.visitor (id, project_id, name) values (?, ?, ?) on conflict do nothing",
                author.id(),
                wanted.project(),
                author.name());
        return author.id();
    }

    /** The project is checked, not trusted: a visitor of one project does not exist in another. */
    private static Place conversation(Connection connection, String visitor, String project) throws SQLException {
        Rows.run(
                connection,
                "insert into livechat.conversation (project_id, visitor_id)"
                        + " select v.project_id, v.id from livechat.visitor v where v.id = ? and v.project_id = ?"
                        + " on conflict do nothing",
                visitor,
                project);
        return Rows.one(
                        connection,
                        "select c.id, c.project_id, c.visitor_id from livechat.conversation c"
                                + " where c.visitor_id = ? and c.project_id = ?",
                        Place::read,
                        visitor,
                        project)
                .orElseThrow(NoSuchConversation::new);
    }

    private static Place existing(Connection connection, NewMessage wanted) throws SQLException {
        return Rows.one(
                        connection,
                        "select c.id, c.project_id, c.visitor_id from livechat.conversation c"
                                + " where c.id = ? and c.project_id = ?",
                        Place::read,
                        wanted.conversation(),
                        wanted.project())
                .orElseThrow(NoSuchConversation::new);
    }

    /** Writes the message and its event. Also used for the companion's answers. */
    Optional<Message> write(Connection connection, Draft draft) throws SQLException {
        Optional<Message> inserted = insert(connection, draft);
        if (inserted.isPresent()) {
            String payload = mapper.write(inserted.get());
            postrider.emit(
                    connection,
                    event(
                            LiveChat.CREATED,
                            payload,
                            draft.place(),
                            draft.place().visitor()));
        }
        return inserted;
    }

    private static Optional<Message> insert(Connection connection, Draft draft) throws SQLException {
        NewMessage wanted = draft.wanted();
        Author author = wanted.author();
        return Rows.one(
                connection,
                "insert into livechat.message"
                        + " (conversation_id, author_kind, author_id, author_name, client_id, body, mentions, pilot, answers, attempt,"
                        + " accepted_at)"
                        + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning *",
                Conversations::message,
                draft.place().conversation(),
                author.kind().text(),
                author.id(),
                author.name(),
                wanted.client(),
                wanted.text(),
                draft.mentions(),
                wanted.pilot(),
                draft.answers(),
                draft.attempt(),
                draft.acceptedAt().atOffset(ZoneOffset.UTC));
    }

    /** An event of the conversation in its project, for one user: only tokens with that reach can see it. */
    static Event event(String type, String payload, Place place, String user) {
        String conversation = place.conversation().toString();
        return Event.of(LiveChat.TOPIC, type, payload)
                .withKey(conversation)
                .withProject(place.project())
                .withUser(user)
                .withAggregate("conversation", conversation);
    }

    /** A message before it is written to its conversation. */
    record Draft(
            NewMessage wanted,
            Place place,
            List<String> mentions,
            Instant acceptedAt,
            @Nullable Long answers,
            int attempt) {}

    /** A conversation and its owner. */
    record Place(UUID conversation, String project, String visitor) {
        static Place read(ResultSet row) throws SQLException {
            return new Place(row.getObject("id", UUID.class), row.getString("project_id"), row.getString("visitor_id"));
        }
    }

    /** The project has no such conversation. */
    static final class NoSuchConversation extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
