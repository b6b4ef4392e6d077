package io.postrider.internal.log;

import io.postrider.LogEvent;
import io.postrider.internal.db.Row;
import java.sql.SQLException;

/** Reads an event from a row of any table that has one: the log, the setbacks, the dead letters. */
public final class LogEvents {
    private LogEvents() {}

    public static LogEvent read(String topic, Row row) throws SQLException {
        return new LogEvent(
                topic,
                row.int8("position"),
                row.uuid("event_id"),
                row.text("type"),
                row.text("payload"),
                row.textOrNull("key"),
                row.textOrNull("project_id"),
                row.textOrNull("user_id"),
                row.textOrNull("aggregate_type"),
                row.textOrNull("aggregate_id"),
                row.text("headers"),
                row.instant("created_at"));
    }
}
