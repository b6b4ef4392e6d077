package io.postrider.internal.schedule;

import io.postrider.Cron;
import io.postrider.PostriderException;
import io.postrider.Schedule;
import io.postrider.admin.Schedules.Status;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Enqueues the jobs of schedules that are due. Every node with a worker calls it regularly, from one thread. */
public final class ScheduleTicks {
    private static final Logger log = LoggerFactory.getLogger(ScheduleTicks.class);
    private static final Sql DUE = Sql.file("schedule/due_schedules");
    private static final Sql TICK = Sql.file("schedule/tick");
    private static final Sql MOVE = Sql.file("schedule/move_schedule");

    /** The maximum number of ticks per transaction: 5,000 ticks with one transaction each took 40 s. */
    private static final int BATCH = 500;

    private static final Duration REPAIR_EVERY = Duration.ofSeconds(30);

    private final Database database;
    private final JdbcSchedules schedules;
    private Deadline nextRepair = Deadline.now();

    public ScheduleTicks(Database database) {
        this.database = database;
        this.schedules = new JdbcSchedules(database);
    }

    /**
     * A schedule whose next tick is later than its cron expression says: the clock was ahead when it last ticked.
     *
     * @param expected when it should tick next
     */
    public record TooFar(Status status, Instant expected) {}

    /** Schedules that would skip ticks, for checks. A node that works on any queue corrects them within half a minute. */
    public List<TooFar> tooFar() {
        List<Status> all = schedules.list();
        // The clock is read last: a tick between the two reads would seem too far ahead.
        Instant now = database.autocommit(FoundSchedule::now);
        return all.stream()
                .filter(one -> !one.paused() && one.nextAt().isAfter(now))
                .map(one -> new TooFar(one, next(one.schedule(), now)))
                .filter(one -> one.status().nextAt().isAfter(one.expected()))
                .toList();
    }

    private void moveBack() {
        if (!nextRepair.isPassed()) {
            return;
        }
        nextRepair = Deadline.in(REPAIR_EVERY);
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

    /**
     * Enqueues the jobs of due ticks. Every node does so, but only one of them advances the schedule, in the transaction of the
     * job.
     */
    public void tick() {
        moveBack();
        @Nullable FoundSchedule last = null;
        List<FoundSchedule> due;
        do {
            due = due(last);
            List<Status> ticking = FoundSchedule.readable(due);
            try {
                tick(ticking);
            } catch (PostriderException e) { // one schedule may be the cause: the others must still tick
                log.debug("ticking {} schedules failed", ticking.size(), e);
                ticking.forEach(this::tickOne);
            }
            last = due.isEmpty() ? null : due.get(due.size() - 1);
        } while (due.size() == BATCH);
    }

    private List<FoundSchedule> due(@Nullable FoundSchedule after) {
        return database.autocommit(session -> session.query(
                DUE,
                bind -> bind.instant("after_at", after == null ? null : after.nextAt())
                        .text("after_name", after == null ? null : after.name())
                        .int4("most", BATCH),
                FoundSchedule::read));
    }

    private void tickOne(Status one) {
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
            Instant now = FoundSchedule.now(session);
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
}
