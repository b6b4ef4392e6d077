package io.postrider.work;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Schedule;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The schedules in the database: set, listed, removed; and ticking. Safe to share. */
public final class Schedules {
    private static final Logger log = LoggerFactory.getLogger(Schedules.class);
    private static final Sql NOW = Sql.call("now", "select pg_catalog.clock_timestamp() as now");
    private static final Sql SET = Sql.file("work/set_schedule");
    private static final Sql REMOVE =
            Sql.text("remove_schedule", "delete from postrider.schedule s where s.name = :name");
    private static final Sql PAUSE =
            Sql.text("pause_schedule", "update postrider.schedule s set paused = :paused where s.name = :name");
    private static final Sql LIST = Sql.file("work/schedules");
    private static final Sql DUE = Sql.file("work/due_schedules");
    private static final Sql TICK = Sql.file("work/tick");

    private final Database database;

    public Schedules(Database database) {
        this.database = database;
    }

    /** A schedule and how it stands. */
    public record Status(
            Schedule schedule,
            boolean paused,
            Instant nextAt,
            @Nullable Instant lastAt,
            @Nullable String lastJob) {
        static Status read(Row row) throws SQLException {
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
    }

    /** Makes a schedule, or changes it. One that has not changed keeps its next tick. */
    public void set(Schedule schedule) {
        database.transaction(session -> session.update(
                SET,
                bind -> bind.text("name", schedule.name())
                        .text("queue", schedule.queue())
                        .text("type", schedule.type())
                        .text("payload", schedule.payload())
                        .text("cron", schedule.cron())
                        .text("zone", schedule.zone())
                        .instant(
                                "next_at",
                                Cron.of(schedule.cron(), schedule.zone()).after(now(session)))));
    }

    /** Every schedule. */
    public List<Status> list() {
        return read(LIST);
    }

    /** Without those that this machine cannot read: such as one with a zone that it does not know. */
    private List<Status> read(Sql which) {
        return database
                .autocommit(session -> session.query(which, Bind::nothing, row -> {
                    try {
                        return Optional.of(Status.read(row));
                    } catch (PostriderException e) {
                        log.warn("schedule_unreadable schedule={} error=\"{}\"", row.text("name"), e.getMessage());
                        return Optional.<Status>empty();
                    }
                }))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** Forgets a schedule. Jobs that it has made stay. */
    public void remove(String name) {
        refuseMissing(name, database.transaction(session -> session.update(REMOVE, bind -> bind.text("name", name))));
    }

    /** Lets a schedule tick no more, or again. What it missed meanwhile is one job. */
    public void pause(String name, boolean paused) {
        refuseMissing(
                name,
                database.transaction(session ->
                        session.update(PAUSE, bind -> bind.text("name", name).bool("paused", paused))));
    }

    private static void refuseMissing(String name, int found) {
        if (found == 0) {
            throw new PostriderException(Kind.NOT_FOUND, "no schedule " + name);
        }
    }

    /** Makes the jobs of ticks that are due. Every node may; a tick is moved on by one of them, with its job. */
    void tick() {
        for (Status one : read(DUE)) {
            try {
                tick(one);
            } catch (
                    PostriderException
                            e) { // such as a zone that this machine does not know: the others tick all the same
                log.warn("tick_failed schedule={} error=\"{}\"", one.schedule().name(), e.getMessage());
            }
        }
    }

    private void tick(Status one) {
        Schedule schedule = one.schedule();
        database.transaction(session -> {
            Instant next = Cron.of(schedule.cron(), schedule.zone()).after(now(session));
            UUID id = UUID.randomUUID();
            boolean ours = session.one(
                            TICK,
                            bind -> bind.text("name", schedule.name())
                                    .instant("at", one.nextAt())
                                    .instant("next_at", next)
                                    .uuid("job_id", id),
                            row -> row.text("job"))
                    .isPresent();
            if (ours) {
                log.info("schedule_ticked schedule={} at={} job_id={}", schedule.name(), one.nextAt(), id);
            }
            return ours;
        });
    }

    private static Instant now(Session session) {
        return session.one(NOW, Bind::nothing, row -> row.instant("now")).orElseThrow();
    }
}
