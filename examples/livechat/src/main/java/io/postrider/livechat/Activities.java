package io.postrider.livechat;

import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.jackson.JacksonMapper;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The listener {@code activity}: for each agent that a message mentions it writes a row of {@code livechat.activity} and emits
 * {@code activity:created}, in the transaction in which its cursor moves. So each mention is recorded exactly once, however often
 * this process dies, and the badge is raised if and only if the record exists.
 */
final class Activities implements Handler.Transactional {
    /** As many as the feed shows at a time. */
    static final int PAGE = 50;

    /** The badge shows 99+ long before that. */
    static final int MOST_OPEN = 2_000;

    private static final String COLUMNS = "select a.id, a.agent_id, a.conversation_id, a.message_id, a.author_name,"
            + " a.visitor_id, a.visitor_name, a.body, a.created_at,"
            + " a.message_id <= coalesce(r.message_id, 0) as seen"
            + " from livechat.activity a"
            + " left join livechat.read_mark r on r.conversation_id = a.conversation_id and r.agent_id = a.agent_id";

    private static final String LATEST =
            COLUMNS + " where a.project_id = ? and a.agent_id = ? and a.id < ? order by a.id desc limit ?";

    private static final String OPEN = "select * from (" + COLUMNS
            + " where a.project_id = ? and a.agent_id = ?) a where not a.seen order by a.id desc limit ?";

    private static final String INSERT =
            "insert into livechat.activity (project_id, agent_id, conversation_id, message_id,"
                    + " author_name, visitor_id, visitor_name, body)"
                    + " select c.project_id, ?, c.id, ?, ?, v.id, v.name, ?"
                    + " from livechat.conversation c join livechat.visitor v on v.id = c.visitor_id where c.id = ?"
                    + " on conflict do nothing returning *, false as seen";

    private final Postrider postrider;
    private final DataSource dataSource;
    private final JacksonMapper mapper;

    Activities(Postrider postrider, DataSource dataSource, JacksonMapper mapper) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.mapper = mapper;
    }

    /**
     * An agent was mentioned: a row, the payload of {@code activity:created}, and an entry of the feed.
     *
     * @param seen whether the agent has read the message; an event is always about a new one
     */
    record Activity(
            long id,
            String agent,
            UUID conversation,
            long message,
            String author,
            String visitor,
            String name,
            String text,
            boolean seen,
            Instant at) {
        static Activity read(ResultSet row) throws SQLException {
            return new Activity(
                    row.getLong("id"),
                    row.getString("agent_id"),
                    row.getObject("conversation_id", UUID.class),
                    row.getLong("message_id"),
                    row.getString("author_name"),
                    row.getString("visitor_id"),
                    row.getString("visitor_name"),
                    row.getString("body"),
                    row.getBoolean("seen"),
                    Rows.instant(row, "created_at"));
        }
    }

    // ── the listener ────────────────────────────────────────────────────────────────────────────────────────────────

    /** From the beginning: a message that was sent before this listener first ran mentions somebody, too. */
    Listener listener() {
        return Listener.transactional("activity", LiveChat.TOPIC, this)
                .withTypes(LiveChat.CREATED)
                .withStart(StartPoint.beginning());
    }

    @Override
    public void handle(Connection connection, LogEvent event) throws Exception {
        Message message = mapper.read(event.payload(), Message.class);
        for (String agent : message.mentions()) {
            Optional<Activity> created = Rows.one(
                    connection,
                    INSERT,
                    Activity::read,
                    agent,
                    message.id(),
                    message.author().name(),
                    message.text(),
                    message.conversation());
            if (created.isPresent()) {
                Intake.Place place = new Intake.Place(message.conversation(), String.valueOf(event.projectId()), agent);
                postrider.emit(connection, Intake.event(LiveChat.ACTIVITY, mapper.write(created.get()), place, agent));
            }
        }
    }

    // ── the feed ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Something that an agent has not read yet: enough to count it, and to notice when it is read. */
    record Open(long id, UUID conversation, long message) {}

    /**
     * An agent's feed as of a position; the stream continues from there.
     *
     * @param open everything that the agent has not read, the newest first, at most {@value #MOST_OPEN}
     * @param latest the newest entries, or those before the one that was asked for
     */
    record Feed(long position, List<Open> open, List<Activity> latest) {}

    /** @param before only entries before this one; null: the newest */
    Feed feed(Guest guest, @Nullable Long before) throws SQLException {
        long position = postrider.log().head(LiveChat.TOPIC); // first: see Conversations
        try (Connection connection = dataSource.getConnection()) {
            List<Open> open = Rows.query(
                    connection,
                    OPEN,
                    row -> new Open(
                            row.getLong("id"), row.getObject("conversation_id", UUID.class), row.getLong("message_id")),
                    guest.project(),
                    guest.user(),
                    MOST_OPEN);
            long end = before == null ? Long.MAX_VALUE : before;
            List<Activity> latest =
                    Rows.query(connection, LATEST, Activity::read, guest.project(), guest.user(), end, PAGE);
            return new Feed(position, open, latest);
        }
    }
}
