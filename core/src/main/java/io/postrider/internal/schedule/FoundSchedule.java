package io.postrider.internal.schedule;

import io.postrider.PostriderException;
import io.postrider.Schedule;
import io.postrider.admin.Schedules.Status;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A row and its schedule; empty if this machine cannot read it, for example because it does not know the time zone. */
record FoundSchedule(String name, Instant nextAt, Optional<Status> status) {
    private static final Logger log = LoggerFactory.getLogger(FoundSchedule.class);
    private static final Sql NOW = Sql.call("schedule/now", "select pg_catalog.clock_timestamp() as now");

    static FoundSchedule read(Row row) throws SQLException {
        String name = row.text("name");
        Instant nextAt = row.instant("next_at");
        try {
            return new FoundSchedule(name, nextAt, Optional.of(status(row)));
        } catch (PostriderException e) {
            log.warn("schedule_unreadable schedule={} error=\"{}\"", name, e.getMessage());
            return new FoundSchedule(name, nextAt, Optional.empty());
        }
    }

    private static Status status(Row row) throws SQLException {
        return new Status(
                new Schedule(
                        row.text("name"),
                        row.text("queue"),
                        row.text("type"),
                        row.text("payload"),
                        row.text("cron"),
                        row.text("zone")),
                row.bool("paused"),
                row.instant("next_at"),
                row.instantOrNull("last_at"),
                row.textOrNull("last_job"));
    }

    static List<Status> readable(List<FoundSchedule> found) {
        return found.stream().flatMap(one -> one.status().stream()).toList();
    }

    /** The time by the database's clock, which is the same for all nodes. */
    static Instant now(Session session) {
        return session.one(NOW, Bind::nothing, row -> row.instant("now")).orElseThrow();
    }
}
