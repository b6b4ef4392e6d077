package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.jackson.JacksonMapper;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The initial state of a page, and where to continue: each answer carries the position as of which it is valid.
 *
 * <p>The position is read <em>before</em> the messages. So every message whose event has that position or an earlier one is in
 * the answer; one that was committed in between is in the answer and in the stream, and the page recognizes it by its id.
 * In the reverse order, a message committed in between would be in neither.
 */
final class Conversations {
    /** As many messages as a screen needs; a page that needs more is an archive. */
    static final int LATEST = 200;

    private static final String MESSAGES =
            "select * from (select m.* from livechat.message m where m.conversation_id = ?"
                    + " order by m.accepted_at desc, m.id desc limit ?) m order by m.accepted_at, m.id";
    private static final String MARKS =
            "select r.agent_id, r.message_id from livechat.read_mark r where r.conversation_id = ?";
    private static final String OVERVIEW = "select c.id, c.visitor_id, v.name, m.*, coalesce(r.message_id, 0) as read,"
            + " (select count(*) from livechat.message u where u.conversation_id = c.id and u.author_kind = 'visitor'"
            + "  and u.id > coalesce(r.message_id, 0)) as unread,"
            + " exists (select from livechat.message u where u.conversation_id = c.id and ? = any (u.mentions)"
            + "  and u.id > coalesce(r.message_id, 0)) as mentioned"
            + " from livechat.conversation c"
            + " join livechat.visitor v on v.id = c.visitor_id"
            + " left join livechat.read_mark r on r.conversation_id = c.id and r.agent_id = ?"
            + " cross join lateral (select m.body, m.author_kind, m.accepted_at from livechat.message m"
            + "  where m.conversation_id = c.id order by m.accepted_at desc limit 1) m"
            + " where c.project_id = ? order by m.accepted_at desc limit 100";

    private final Postrider postrider;
    private final DataSource dataSource;
    private final JacksonMapper mapper;

    Conversations(Postrider postrider, DataSource dataSource, JacksonMapper mapper) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.mapper = mapper;
    }

    /**
     * A conversation as of a position; the stream continues from there.
     *
     * @param conversation null if the visitor has not written yet
     * @param read the last message that each agent has read
     */
    record Snapshot(long position, @Nullable UUID conversation, List<Message> messages, Map<String, Long> read) {}

    /** All conversations of a project as of a position. */
    record Overview(long position, List<Line> conversations) {}

    /** One conversation, as one agent sees it. */
    record Line(
            UUID conversation,
            String visitor,
            String name,
            String last,
            String lastBy,
            Instant lastAt,
            long unread,
            boolean mentioned) {}

    Snapshot ofVisitor(Guest guest) throws SQLException {
        long position = postrider.log().head(LiveChat.TOPIC);
        try (Connection connection = dataSource.getConnection()) {
            Optional<UUID> found = Rows.one(
                    connection,
                    "select c.id from livechat.conversation c where c.visitor_id = ? and c.project_id = ?",
                    row -> row.getObject("id", UUID.class),
                    guest.user(),
                    guest.project());
            return found.isPresent()
                    ? snapshot(connection, position, found.get())
                    : new Snapshot(position, null, List.of(), Map.of());
        }
    }

    /** Empty if the guest's project has no such conversation. */
    Optional<Snapshot> ofProject(Guest guest, UUID conversation) throws SQLException {
        long position = postrider.log().head(LiveChat.TOPIC);
        try (Connection connection = dataSource.getConnection()) {
            return place(connection, guest, conversation).isPresent()
                    ? Optional.of(snapshot(connection, position, conversation))
                    : Optional.empty();
        }
    }

    Overview overview(Guest guest) throws SQLException {
        long position = postrider.log().head(LiveChat.TOPIC);
        try (Connection connection = dataSource.getConnection()) {
            List<Line> lines =
                    Rows.query(connection, OVERVIEW, Conversations::line, guest.user(), guest.user(), guest.project());
            return new Overview(position, lines);
        }
    }

    private static Snapshot snapshot(Connection connection, long position, UUID conversation) throws SQLException {
        Map<String, Long> read = new TreeMap<>();
        Rows.query(
                connection, MARKS, row -> read.put(row.getString("agent_id"), row.getLong("message_id")), conversation);
        return new Snapshot(
                position,
                conversation,
                Rows.query(connection, MESSAGES, Conversations::message, conversation, LATEST),
                read);
    }

    // ── read marks ──────────────────────────────────────────────────────────────────────────────────────────────────

    /** The payload of {@code conversation:read}. */
    record Read(UUID conversation, String agent, long message) {}

    /** An agent has read up to a message. False if the guest's project has no such conversation. */
    boolean read(Guest guest, UUID conversation, long message) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Optional<Intake.Place> place = place(connection, guest, conversation);
            if (place.isPresent()) {
                refuseBeyondLast(connection, conversation, message);
            }
            if (place.isPresent() && mark(connection, guest, conversation, message)) {
                String payload = mapper.write(new Read(conversation, guest.user(), message));
                postrider.emit(
                        connection,
                        Intake.event(
                                LiveChat.READ, payload, place.get(), place.get().visitor()));
            }
            connection.commit();
            return place.isPresent();
        }
    }

    /** A mark beyond the last message would make the agent miss what is written later. */
    private static void refuseBeyondLast(Connection connection, UUID conversation, long message) throws SQLException {
        Optional<Long> reached = Rows.one(
                connection,
                "select m.id from livechat.message m where m.conversation_id = ? and m.id >= ? limit 1",
                row -> row.getLong("id"),
                conversation,
                message);
        if (reached.isEmpty()) {
            throw Refusal.badRequest("message must not be beyond the last message of the conversation.");
        }
    }

    /** Moves only forwards: two tabs of one agent do not reset each other's mark. */
    private static boolean mark(Connection connection, Guest guest, UUID conversation, long message)
            throws SQLException {
        return Rows.run(
                        connection,
                        "insert into livechat.read_mark as r (conversation_id, agent_id, message_id) values (?, ?, ?)"
                                + " on conflict (conversation_id, agent_id) do update set message_id = excluded.message_id"
                                + " where r.message_id < excluded.message_id",
                        conversation,
                        guest.user(),
                        message)
                > 0;
    }

    private static Optional<Intake.Place> place(Connection connection, Guest guest, UUID conversation)
            throws SQLException {
        return Rows.one(
                connection,
                "select c.id, c.project_id, c.visitor_id from livechat.conversation c where c.id = ? and c.project_id = ?",
                Intake.Place::read,
                conversation,
                guest.project());
    }

    // ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────

    static Message message(ResultSet row) throws SQLException {
        return new Message(
                row.getLong("id"),
                row.getObject("conversation_id", UUID.class),
                ChronoUnit.MICROS.between(Instant.EPOCH, Rows.instant(row, "accepted_at")),
                new Author(
                        Author.Kind.of(row.getString("author_kind")),
                        row.getString("author_id"),
                        row.getString("author_name")),
                row.getString("client_id"),
                row.getString("body"),
                Rows.texts(row, "mentions"),
                row.getBoolean("pilot"),
                row.getObject("answers", Long.class),
                row.getInt("attempt"),
                Rows.instant(row, "accepted_at"));
    }

    private static Line line(ResultSet row) throws SQLException {
        return new Line(
                row.getObject("id", UUID.class),
                row.getString("visitor_id"),
                row.getString("name"),
                row.getString("body"),
                row.getString("author_kind"),
                Rows.instant(row, "accepted_at"),
                row.getLong("unread"),
                row.getBoolean("mentioned"));
    }
}
