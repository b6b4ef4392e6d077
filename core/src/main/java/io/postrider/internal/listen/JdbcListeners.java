package io.postrider.internal.listen;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.StartPoint;
import io.postrider.admin.Comparison;
import io.postrider.admin.Listeners;
import io.postrider.admin.Publisher;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.LogReader;
import io.postrider.internal.shadow.JdbcShadow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The listeners in the database, as an operator lists and controls them. Thread-safe. */
public final class JdbcListeners implements Listeners {
    private static final Sql LISTENER = Sql.file("listen/listener");
    private static final Sql PAUSE = Sql.file("listen/pause");
    private static final Sql RESET = Sql.file("listen/reset");
    private static final Sql LOCK_LEDGER = Sql.file("listen/lock_ledger");
    private static final Sql FORGET_SHADOW =
            Sql.call("listen/forget_shadow", "select postrider.forget_shadow(:listener, :to_position)");
    private static final Sql LIST = Sql.file("listen/listeners");

    private final Database database;
    private final LogReader reader;
    private final JdbcShadow shadow;
    private final String node;

    /** @param node is written into the ledger of a listener that is reset */
    public JdbcListeners(Database database, String node) {
        this.database = database;
        this.reader = new LogReader(database);
        this.shadow = new JdbcShadow(database, node);
        this.node = node;
    }

    @Override
    public List<Status> list() {
        return database.autocommit(session -> session.query(LIST, Bind::nothing, JdbcListeners::status));
    }

    @Override
    public void pause(String listener) {
        pause(listener, true);
    }

    @Override
    public void resume(String listener) {
        pause(listener, false);
    }

    private void pause(String listener, boolean paused) {
        int changed = database.transaction(session -> session.one(
                        PAUSE,
                        bind -> bind.text("listener", listener).bool("paused", paused),
                        row -> row.int4("changed"))
                .orElse(0));
        if (changed == 0) {
            throw new PostriderException(Kind.NOT_FOUND, "no listener " + listener);
        }
    }

    @Override
    public long reset(String listener, StartPoint to) {
        return database.transaction(session -> {
            long cursor = cursorAt(session, listener, to);
            session.query(LOCK_LEDGER, bind -> bind.text("listener", listener), row -> true);
            session.call(FORGET_SHADOW, bind -> bind.text("listener", listener).int8("to_position", cursor));
            long stood = session.one(
                            RESET,
                            bind -> bind.text("listener", listener)
                                    .int8("to_position", cursor)
                                    .text("worker", node),
                            row -> row.int8("stood"))
                    .orElseThrow();
            session.call(
                    RunningListeners.START_FILTER,
                    bind -> bind.text("listener", listener).int8("stood", stood).int8("start", cursor));
            return cursor;
        });
    }

    @Override
    public long shadow(String listener, Duration most) {
        return shadow.begin(listener, most);
    }

    @Override
    public long goLive(String listener) {
        return shadow.goLive(listener, null);
    }

    @Override
    public long goLive(String listener, long position) {
        return shadow.goLive(listener, position);
    }

    @Override
    public Comparison compare(String listener, Publisher publisher, int most) {
        return shadow.compare(listener, publisher, most);
    }

    @Override
    public long cursorAt(String listener, StartPoint to) {
        return database.autocommit(session -> cursorAt(session, listener, to));
    }

    private long cursorAt(Session session, String listener, StartPoint to) {
        String topic = session.one(LISTENER, bind -> bind.text("listener", listener), row -> row.text("topic"))
                .orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no listener " + listener));
        return StartPositions.cursorFor(session, reader, topic, to);
    }

    private static Status status(Row row) throws SQLException {
        return new Status(
                row.text("name"),
                row.text("topic"),
                row.text("kind"),
                row.text("policy"),
                row.int8("position"),
                row.int8("head"),
                row.int8("lag"),
                row.instantOrNull("last_progress_at"),
                row.int4("attempts"),
                row.instantOrNull("retry_after"),
                row.textOrNull("last_error"),
                row.int8("setbacks"),
                row.int8("dead_letters"),
                row.bool("paused"),
                row.instantOrNull("detached_at"),
                row.textOrNull("owner"),
                row.text("mode"),
                row.int8OrNull("shadow_from"),
                row.int8OrNull("live_from"));
    }
}
