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
import java.time.Duration;
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
    private static final Sql MOVE = Sql.file("work/move_schedule");

    /** Ticks in one transaction: 5,000 ticks in one transaction each took 40 s. */
    private static final int BATCH = 500;

    private static final Duration MEND_EVERY = Duration.ofSeconds(30);

    private final Database database;
    private long mendAt = System.nanoTime();

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
        return Found.readable(database.autocommit(session -> session.query(LIST, Bind::nothing, Found::read)));
    }

    /** A row and its schedule; empty if this machine cannot read it, for example because it does not know the time zone. */
    private record Found(String name, Instant nextAt, Optional<Status> status) {
        static Found read(Row row) throws SQLException {
            String name = row.text("name");
            Instant nextAt = row.instant("next_at");
            try {
                return new Found(name, nextAt, Optional.of(Status.read(row)));
            } catch (PostriderException e) {
                log.warn("schedule_unreadable schedule={} error=\"{}\"", name, e.getMessage());
                return new Found(name, nextAt, Optional.empty());
            }
        }

        static List<Status> readable(List<Found> found) {
            return found.stream().flatMap(one -> one.status().stream()).toList();
        }
    }

    /**
     * A schedule whose next tick is later than its cron expression says: the clock was ahead when it last ticked.
     *
     * @param expected when it should tick next
     */
    public record TooFar(Status status, Instant expected) {}

    /** Schedules that would skip ticks, for checks. A node that works on any queue corrects them within half a minute. */
    public List<TooFar> tooFar() {
        List<Status> all = list();
        Instant now = database.autocommit(Schedules::now); // afterwards: a tick between the two would look too far away
        return all.stream()
                .filter(one -> !one.paused() && one.nextAt().isAfter(now))
                .map(one -> new TooFar(one, next(one.schedule(), now)))
                .filter(one -> one.status().nextAt().isAfter(one.expected()))
                .toList();
    }

    private void mend() {
        if (System.nanoTime() - mendAt < 0) {
            return;
        }
        mendAt = System.nanoTime() + MEND_EVERY.toNanos();
        for (TooFar one : tooFar()) {
            String name = one.status().schedule().name();
            database.transaction(session -> session.update(
                    MOVE,
                    bind -> bind.text("name", name)
                            .instant("seen", one.status().nextAt())
                            .instant("next_at", one.expected())));
            log.warn(
                    "schedule_moved_back schedule={} from={} to={} the clock was ahead",
                    name,
                    one.status().nextAt(),
                    one.expected());
        }
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
        mend();
        @Nullable Found last = null;
        List<Found> due;
        do {
            due = due(last);
            List<Status> ticking = Found.readable(due);
            try {
                tick(ticking);
            } catch (PostriderException e) { // one of them may be at fault: the others must still tick
                log.debug("ticking {} schedules failed", ticking.size(), e);
                ticking.forEach(this::tickAlone);
            }
            last = due.isEmpty() ? null : due.get(due.size() - 1);
        } while (due.size() == BATCH);
    }

    private List<Found> due(@Nullable Found after) {
        return database.autocommit(session -> session.query(
                DUE,
                bind -> bind.instant("after_at", after == null ? null : after.nextAt())
                        .text("after_name", after == null ? null : after.name())
                        .int4("most", BATCH),
                Found::read));
    }

    private void tickAlone(Status one) {
        try {
            tick(List.of(one));
        } catch (PostriderException e) {
            log.warn("tick_failed schedule={} error=\"{}\"", one.schedule().name(), e.getMessage());
        }
    }

    private void tick(List<Status> due) {
        if (due.isEmpty()) {
            return;
        }
        record Ticked(String schedule, String job) {}
        List<Ticked> ticked = database.transaction(session -> {
            Instant now = now(session);
            return session.query(
                    TICK,
                    bind -> bind.texts(
                                    "names",
                                    due.stream()
                                            .map(one -> one.schedule().name())
                                            .toList())
                            .texts(
                                    "ats",
                                    due.stream()
                                            .map(one -> one.nextAt().toString())
                                            .toList())
                            .texts(
                                    "next_ats",
                                    due.stream()
                                            .map(one ->
                                                    next(one.schedule(), now).toString())
                                            .toList())
                            .uuids(
                                    "job_ids",
                                    due.stream().map(one -> UUID.randomUUID()).toList()),
                    row -> new Ticked(row.text("name"), row.text("job")));
        });
        ticked.forEach(one -> log.info("schedule_ticked schedule={} job_id={}", one.schedule(), one.job()));
    }

    private static Instant next(Schedule schedule, Instant now) {
        return Cron.of(schedule.cron(), schedule.zone()).after(now);
    }

    private static Instant now(Session session) {
        return session.one(NOW, Bind::nothing, row -> row.instant("now")).orElseThrow();
    }
}
