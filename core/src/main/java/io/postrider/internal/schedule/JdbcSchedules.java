package io.postrider.internal.schedule;

import io.postrider.Cron;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Schedule;
import io.postrider.admin.Schedules;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.util.List;

/** Sets and lists the schedules in the database, for operators. Thread-safe. */
public final class JdbcSchedules implements Schedules {
    private static final Sql SET = Sql.file("schedule/set_schedule");
    private static final Sql REMOVE =
            Sql.text("schedule/remove_schedule", "delete from postrider.schedule s where s.name = :name");
    private static final Sql PAUSE = Sql.text(
            "schedule/pause_schedule", "update postrider.schedule s set paused = :paused where s.name = :name");
    private static final Sql LIST = Sql.file("schedule/schedules");

    private final Database database;

    public JdbcSchedules(Database database) {
        this.database = database;
    }

    @Override
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
                                Cron.of(schedule.cron(), schedule.zone()).after(FoundSchedule.now(session)))));
    }

    @Override
    public List<Status> list() {
        return FoundSchedule.readable(
                database.autocommit(session -> session.query(LIST, Bind::nothing, FoundSchedule::read)));
    }

    @Override
    public void remove(String name) {
        refuseMissing(name, database.transaction(session -> session.update(REMOVE, bind -> bind.text("name", name))));
    }

    @Override
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
}
