package io.postrider.listen;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What an operator asks of relays. To pause, resume and reset one is as for any listener. Safe to share. */
public final class Relays {
    private static final Sql LIST = Sql.file("listen/relays");
    private static final Sql ASK_FOR_TEST = Sql.file("listen/ask_for_test");
    private static final Sql TEST_RESULT = Sql.file("listen/test_result");
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private final Database database;

    public Relays(Database database) {
        this.database = database;
    }

    /** Every relay in the database. */
    public List<Status> list() {
        return database.autocommit(session -> session.query(LIST, Bind::nothing, Status::read));
    }

    /**
     * Asks the node that runs a relay to try its sink, and waits for what it finds. A relay that is paused is tried as well.
     * Throws {@link Kind#CONFLICT} if no node answers in time.
     */
    public Tested test(String relay, Duration most) {
        Instant askedAt = database.transaction(session -> session.query(
                        ASK_FOR_TEST,
                        bind -> bind.text("relay", relay),
                        row -> Optional.ofNullable(row.instantOrNull("asked_at")))
                .get(0)
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND, "no relay " + relay + "; `postrider relays list` shows those there are")));
        long end = System.nanoTime() + most.toNanos();
        while (true) {
            Optional<Tested> result = database.autocommit(session -> session.one(
                    TEST_RESULT, bind -> bind.text("relay", relay).instant("asked_at", askedAt), Tested::read));
            if (result.isPresent()) {
                return result.get();
            }
            if (System.nanoTime() - end >= 0 || !rest()) {
                throw new PostriderException(
                        Kind.CONFLICT,
                        "no node has tried the sink of relay " + relay + " within " + most.toMillis()
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

    /**
     * What a test found.
     *
     * @param found a sentence of the sink, if it could be reached
     * @param error why it could not
     */
    public record Tested(@Nullable String found, @Nullable String error, Instant at) {
        static Tested read(Row row) throws SQLException {
            return new Tested(row.textOrNull("test_found"), row.textOrNull("test_error"), row.instant("tested_at"));
        }
    }

    /** A row of the view {@code relays}. */
    public record Status(
            String name,
            String topic,
            String sink,
            String state,
            long position,
            long head,
            long lag,
            @Nullable Instant lastProgressAt,
            @Nullable Instant unavailableSince,
            int attempts,
            @Nullable Instant retryAfter,
            @Nullable String lastError,
            long setbacks,
            long deadLetters,
            boolean paused,
            @Nullable String owner,
            @Nullable Instant testedAt,
            @Nullable String testFound,
            @Nullable String testError) {
        static Status read(Row row) throws SQLException {
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
                    row.textOrNull("test_error"));
        }
    }
}
