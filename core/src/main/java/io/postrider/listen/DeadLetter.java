package io.postrider.listen;

import io.postrider.LogEvent;
import io.postrider.db.Row;
import io.postrider.log.LogEvents;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event that a listener has given up on, with the error and the number of attempts.
 *
 * @param error one line
 * @param stack the stack trace of the last failure; null: there was none, or the reader may not see it
 */
public record DeadLetter(
        long id,
        String listener,
        LogEvent event,
        int attempts,
        String error,
        Instant diedAt,
        @Nullable String stack) {
    static DeadLetter read(Row row) throws SQLException {
        return new DeadLetter(
                row.int8("id"),
                row.text("listener"),
                LogEvents.read(row.text("topic"), row),
                row.int4("attempts"),
                row.text("error"),
                row.instant("died_at"),
                row.textOrNull("stack"));
    }
}
