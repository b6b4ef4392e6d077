package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;

/** How full the server's queue of notifications is; from a half on producers do not notify any more. */
final class NotifyQueue implements Check {
    private static final Sql USAGE =
            Sql.text("notify_queue", "select (pg_notification_queue_usage() * 100)::int4 as percent");

    @Override
    public String name() {
        return "notify queue";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(Examination examination) {
        int percent = examination
                .one(USAGE, Bind::nothing, row -> row.int4("percent"))
                .orElse(0);
        String advice = "a session listens and stays in a transaction: end the oldest one that vacuum waits for, below";
        if (percent >= 90) {
            return List.of(Finding.fail(percent + " % full: when it is, every NOTIFY fails its transaction", advice));
        }
        return List.of(
                percent >= 50
                        ? Finding.warn(percent + " % full: producers do not notify, events wait for the poll", advice)
                        : Finding.ok(percent + " % full"));
    }
}
