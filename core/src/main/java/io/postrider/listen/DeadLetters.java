package io.postrider.listen;

import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.access.Scope;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.db.SqlState;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an operator does with dead letters: find, replay, discard. Safe to share. */
public final class DeadLetters {
    private static final Sql FIND = Sql.file("listen/dead_letters");
    private static final Sql FIND_IN_REACH = Sql.text(
            "dead_letters_in_reach",
            Sql.resource("sql/listen/dead_letters.sql")
                    .replace("postrider.dead_letters d", "postrider.dead_letters_in_reach d"));
    private static final Sql REPLAY = Sql.file("listen/replay");
    private static final Sql FILL_BARE = Sql.file("listen/fill_bare");
    private static final Sql DISCARD = Sql.file("listen/discard");

    private static final Sql LISTENERS = Sql.file("listen/letter_listeners");

    /** Payloads of one page, together. */
    private static final long BYTES = 8 << 20;

    private final Database database;

    public DeadLetters(Database database) {
        this.database = database;
    }

    /** Which of them; null leaves a condition out. The error matches if it contains the text. */
    public record Filter(
            @Nullable Long id,
            @Nullable String listener,
            @Nullable String topic,
            @Nullable String type,
            @Nullable String key,
            @Nullable String error) {
        public static Filter all() {
            return new Filter(null, null, null, null, null, null);
        }

        public static Filter one(long id) {
            return new Filter(id, null, null, null, null, null);
        }

        private Bind to(Bind bind) throws SQLException {
            return bind.text("id", id == null ? null : id.toString())
                    .text("listener", listener)
                    .text("topic", topic)
                    .text("type", type)
                    .text("key", key)
                    .text("error", error);
        }
    }

    /**
     * Some of those that match.
     *
     * @param more whether others may follow after the last of these
     */
    public record Page(List<DeadLetter> letters, boolean more) {}

    /** Those that match, oldest first: the ones after an id, at most so many. */
    public List<DeadLetter> find(Filter filter, long after, int most) {
        return database.autocommit(session -> page(session, FIND, filter, after, most, Long.MAX_VALUE))
                .letters();
    }

    /** Of them, those that are in reach, and fewer if they are more than 8 MiB. */
    public Page find(Reach reach, Filter filter, long after, int most) {
        return Scope.read(database, reach, session -> page(session, FIND_IN_REACH, filter, after, most, BYTES));
    }

    private static Page page(Session session, Sql sql, Filter filter, long after, int most, long bytes) {
        record Found(DeadLetter letter, long behind) {}
        List<Found> found = session.query(
                sql,
                bind -> filter.to(bind).int8("after", after).int4("most", most).int8("bytes", bytes),
                row -> new Found(DeadLetter.read(row), row.int8("behind")));
        boolean cut = !found.isEmpty() && found.get(found.size() - 1).behind() > 0;
        return new Page(found.stream().map(Found::letter).toList(), cut || found.size() == most);
    }

    /** The names that dead letters may belong to: listeners, lanes of queues, and removed listeners that left dead letters. */
    public List<String> listeners() {
        return database.autocommit(session -> session.query(LISTENERS, Bind::nothing, row -> row.text("name")));
    }

    /** Gives them back to their listener. Gives how many: jobs whose event was deleted or cannot be read stay. */
    public int replay(List<Long> ids) {
        fillBare(ids);
        return database.transaction(
                session -> session.one(REPLAY, bind -> bind.int8s("ids", ids), row -> row.int4("replayed"))
                        .orElse(0));
    }

    /** In a transaction of its own: a row that still cannot be read does not stop the others. */
    private void fillBare(List<Long> ids) {
        try {
            database.transaction(session -> session.update(
                    FILL_BARE,
                    bind -> bind.int8s("ids", ids).text("topic", null).int8("position", 0)));
        } catch (PostriderException e) {
            if (!SqlState.isOfTheData(SqlState.of(e))) {
                throw e;
            }
        }
    }

    /** Forgets them. Gives how many. */
    public int discard(List<Long> ids) {
        return database.transaction(session -> session.update(DISCARD, bind -> bind.int8s("ids", ids)));
    }
}
