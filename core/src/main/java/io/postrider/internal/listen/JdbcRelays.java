package io.postrider.internal.listen;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Relays;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The relays in the database. Thread-safe. */
public final class JdbcRelays implements Relays {
    private static final Sql LIST = Sql.file("listen/relays");
    private static final Sql ASK_FOR_TEST = Sql.file("listen/ask_for_test");
    private static final Sql TEST_RESULT = Sql.file("listen/test_result");
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private final Database database;

    public JdbcRelays(Database database) {
        this.database = database;
    }

    @Override
    public List<Status> list() {
        return database.autocommit(session -> session.query(LIST, Bind::nothing, JdbcRelays::status));
    }

    @Override
    public Tested test(String relay, Duration most) {
        Instant askedAt = database.transaction(session -> session.query(
                        ASK_FOR_TEST,
                        bind -> bind.text("relay", relay),
                        row -> Optional.ofNullable(row.instantOrNull("asked_at")))
                .get(0)
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND, "no relay " + relay + "; `postrider relays list` lists them")));
        long end = System.nanoTime() + most.toNanos();
        while (true) {
            Optional<Tested> result = database.autocommit(session -> session.one(
                    TEST_RESULT, bind -> bind.text("relay", relay).instant("asked_at", askedAt), JdbcRelays::tested));
            if (result.isPresent()) {
                return result.get();
            }
            if (System.nanoTime() - end >= 0 || !rest()) {
                throw new PostriderException(
                        Kind.CONFLICT,
                        "no node has tested the sink of relay " + relay + " within " + most.toMillis()
                                + " ms: is a node running that has this relay?");
            }
        }
    }

    private static boolean rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static Tested tested(Row row) throws SQLException {
        return new Tested(row.textOrNull("test_found"), row.textOrNull("test_error"), row.instant("tested_at"));
    }

    private static Status status(Row row) throws SQLException {
        return new Status(
                row.text("name"),
                row.text("topic"),
                row.text("sink"),
                row.text("state"),
                row.int8("position"),
                row.int8("head"),
                row.int8("lag"),
                row.instantOrNull("last_progress_at"),
                row.instantOrNull("unavailable_since"),
                row.int4("attempts"),
                row.instantOrNull("retry_after"),
                row.textOrNull("last_error"),
                row.int8("setbacks"),
                row.int8("dead_letters"),
                row.bool("paused"),
                row.textOrNull("owner"),
                row.instantOrNull("tested_at"),
                row.textOrNull("test_found"),
                row.textOrNull("test_error"),
                row.text("mode"),
                row.int8OrNull("shadow_from"),
                row.int8OrNull("live_from"));
    }
}
