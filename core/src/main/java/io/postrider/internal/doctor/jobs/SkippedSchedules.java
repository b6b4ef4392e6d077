package io.postrider.internal.doctor.jobs;

import io.postrider.Cron;
import io.postrider.PostriderException;
import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Schedules that do not tick at the times of their cron expression. */
public final class SkippedSchedules implements Check {
    private static final Sql SCHEDULES = Sql.file("doctor/schedules");
    private static final Duration LATE = Duration.ofMinutes(1);

    private record Ticking(String name, String cron, String zone, Instant nextAt, Instant now, boolean attended) {
        Optional<Finding> finding() {
            if (nextAt.isBefore(now.minus(LATE))) {
                String late = "schedule " + name + " should have ticked at " + nextAt;
                return Optional.of(
                        attended
                                ? Finding.fail(late, "see tick_failed in the logs of the nodes")
                                : Finding.warn(
                                        late + ", and no node with a worker runs", "start a node with a worker"));
            }
            Instant expected;
            try {
                expected = Cron.of(cron, zone).after(now);
            } catch (PostriderException e) {
                return Optional.of(Finding.fail(
                        "schedule " + name + " cannot be read: " + e.getMessage(), "set it again: schedules set"));
            }
            return nextAt.isAfter(expected.plus(LATE))
                    ? Optional.of(Finding.fail(
                            "schedule " + name + " (" + cron + ", " + zone + ") ticks next at " + nextAt
                                    + ", but should tick at " + expected + ": was the clock wrong?",
                            "remove it and set it again: postrider schedules remove " + name))
                    : Optional.empty();
        }
    }

    @Override
    public String name() {
        return "schedules";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Ticking> all = examination.query(
                SCHEDULES,
                Bind::nothing,
                row -> new Ticking(
                        row.text("name"),
                        row.text("cron"),
                        row.text("zone"),
                        row.instant("next_at"),
                        row.instant("now"),
                        row.bool("attended")));
        List<Finding> findings =
                all.stream().map(Ticking::finding).flatMap(Optional::stream).toList();
        return findings.isEmpty() ? List.of(Finding.ok(all.size() + " schedules tick on time")) : findings;
    }
}
