package io.postrider.listen;

import io.postrider.Reach;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an operator does with dead letters: find, replay, discard. Safe to share. */
public final class DeadLetters {
    private static final Sql FIND = Sql.file("listen/dead_letters");
    private static final Sql REPLAY = Sql.file("listen/replay");
    private static final Sql DISCARD = Sql.file("listen/discard");

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

    /** A page of those that match, oldest first: the ones after an id. */
    public List<DeadLetter> find(Filter filter, long after, int most) {
        return find(filter, after, most, Reach.all());
    }

    /** Of them, those that are in reach. */
    public List<DeadLetter> find(Filter filter, long after, int most, Reach reach) {
        return database.autocommit(session -> session.query(
                FIND,
                bind -> filter.to(bind)
                        .int8("after", after)
                        .int4("most", most)
                        .text("reach", reach.kind().name())
                        .text("project", reach.project())
                        .text("user", reach.user()),
                DeadLetter::read));
    }

    /** Gives them back to their listener. Gives how many. */
    public int replay(List<Long> ids) {
        return database.transaction(
                session -> session.one(REPLAY, bind -> bind.int8s("ids", ids), row -> row.int4("replayed"))
                        .orElse(0));
    }

    /** Forgets them. Gives how many. */
    public int discard(List<Long> ids) {
        return database.transaction(session -> session.update(DISCARD, bind -> bind.int8s("ids", ids)));
    }
}
