package io.postrider.internal.listen;

import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.internal.access.Scope;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.log.LogEvents;
import java.sql.SQLException;
import java.util.List;

/** The dead letters in the database. Thread-safe. */
public final class JdbcDeadLetters implements DeadLetters {
    private static final Sql FIND = Sql.file("listen/dead_letters");
    private static final Sql FIND_IN_REACH = Sql.text(
            "listen/dead_letters_in_reach",
            Sql.resource("sql/listen/dead_letters.sql")
                    .replace("postrider.dead_letters d", "postrider.dead_letters_in_reach d"));
    private static final Sql REPLAY = Sql.file("listen/replay");
    private static final Sql FILL_BARE = Sql.file("listen/fill_bare");
    private static final Sql DISCARD = Sql.file("listen/discard");

    private static final Sql LISTENERS = Sql.file("listen/letter_listeners");

    /** Payloads of one page, together. */
    private static final long BYTES = 8 << 20;

    private final Database database;

    public JdbcDeadLetters(Database database) {
        this.database = database;
    }

    @Override
    public List<DeadLetter> find(Filter filter, long after, int most) {
        return database.autocommit(session -> page(session, FIND, filter, after, most, Long.MAX_VALUE))
                .letters();
    }

    @Override
    public Page find(Reach reach, Filter filter, long after, int most) {
        return find(reach, filter, after, most, BYTES);
    }

    @Override
    public Page find(Reach reach, Filter filter, long after, int most, long bytes) {
        return Scope.read(
                database, reach, session -> page(session, FIND_IN_REACH, filter, after, most, Math.min(bytes, BYTES)));
    }

    private static Page page(Session session, Sql sql, Filter filter, long after, int most, long bytes) {
        record Found(DeadLetter letter, long behind) {}
        List<Found> found = session.query(
                sql,
                bind -> filter(bind, filter)
                        .int8("after", after)
                        .int4("most", most)
                        .int8("bytes", bytes),
                row -> new Found(letter(row), row.int8("behind")));
        boolean cut = !found.isEmpty() && found.get(found.size() - 1).behind() > 0;
        return new Page(found.stream().map(Found::letter).toList(), cut || found.size() == most);
    }

    @Override
    public List<String> listeners() {
        return database.autocommit(session -> session.query(LISTENERS, Bind::nothing, row -> row.text("name")));
    }

    @Override
    public int replay(List<Long> ids) {
        fillBare(ids);
        return database.transaction(
                session -> session.one(REPLAY, bind -> bind.int8s("ids", ids), row -> row.int4("replayed"))
                        .orElse(0));
    }

    private static Bind filter(Bind bind, Filter filter) throws SQLException {
        Long id = filter.id();
        return bind.text("id", id == null ? null : id.toString())
                .text("listener", filter.listener())
                .text("topic", filter.topic())
                .text("type", filter.type())
                .text("key", filter.key())
                .text("error", filter.error());
    }

    static DeadLetter letter(Row row) throws SQLException {
        return new DeadLetter(
                row.int8("id"),
                row.text("listener"),
                LogEvents.read(row.text("topic"), row),
                row.int4("attempts"),
                row.textOrNull("last_error_code"),
                row.text("error"),
                row.instant("died_at"),
                row.textOrNull("stack"));
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

    @Override
    public int discard(List<Long> ids) {
        return database.transaction(session -> session.update(DISCARD, bind -> bind.int8s("ids", ids)));
    }
}
