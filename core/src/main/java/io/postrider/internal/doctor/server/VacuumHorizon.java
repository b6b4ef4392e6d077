package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** Sessions that keep vacuum from removing dead rows. The log is not affected, the rest of the database is. */
public final class VacuumHorizon implements Check {
    private static final Sql HORIZON = Sql.file("doctor/horizon");
    private static final long LONG_SECONDS = 600;

    /** The limit for holders without a time, such as replication slots: this many transactions have begun since. */
    private static final long MANY = 100_000;

    private record Holder(String kind, BlockingSession culprit, long transactions) {
        boolean isLong() {
            return kind.equals("replication slot") ? transactions > MANY : culprit.seconds() > LONG_SECONDS;
        }

        String text() {
            return kind + " " + culprit.text() + ", " + transactions + " transactions back";
        }

        String advice() {
            return switch (kind) {
                case "replication slot" ->
                    "make sure its consumer advances, or: select pg_drop_replication_slot("
                            + Quoted.literal(culprit.query()) + ")";
                case "standby" -> "a long query runs there: end it, or switch hot_standby_feedback off";
                default -> culprit.remedy();
            };
        }
    }

    @Override
    public String name() {
        return "vacuum";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Holder> holders = examination.query(
                HORIZON,
                Bind::nothing,
                row -> new Holder(row.text("kind"), BlockingSession.read(row), row.int8("transactions")));
        List<Finding> findings = holders.stream()
                .filter(Holder::isLong)
                .map(holder -> Finding.warn("held back by " + holder.text(), holder.advice()))
                .toList();
        if (!findings.isEmpty()) {
            return findings;
        }
        return List.of(Finding.ok(
                holders.isEmpty()
                        ? "no session holds it back"
                        : "held back briefly by " + holders.get(0).text()));
    }
}
