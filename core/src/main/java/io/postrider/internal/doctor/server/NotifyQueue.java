package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The fill level of the server's notification queue; producers stop notifying when it is half full. */
public final class NotifyQueue implements Check {
    private static final Sql USAGE =
            Sql.text("doctor/notify_queue", "select (pg_notification_queue_usage() * 100)::int4 as percent");

    @Override
    public String name() {
        return "notify queue";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        int percent = examination
                .one(USAGE, Bind::nothing, row -> row.int4("percent"))
                .orElse(0);
        String advice =
                "a listening session stays in a transaction: end the oldest session that the check vacuum reports";
        if (percent >= 90) {
            return List.of(Finding.fail(percent + " % full: at 100 %, every transaction with a NOTIFY fails", advice));
        }
        return List.of(
                percent >= 50
                        ? Finding.warn(
                                percent + " % full: producers do not notify, so events wait for the next poll", advice)
                        : Finding.ok(percent + " % full"));
    }
}
