package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;
import java.util.Map;

/** Autovacuum is on. The log is append-only, but needs statistics, and the tables for retries need vacuum. */
public final class Autovacuum implements Check {
    private static final Sql TABLES = Sql.file("doctor/tables");

    @Override
    public String name() {
        return "autovacuum";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        Map<String, String> settings = ServerSettings.of(examination, List.of("autovacuum", "track_counts"));
        if (settings.containsValue("off")) {
            return List.of(Finding.warn(
                    "autovacuum or track_counts is off: there are no statistics, and dead rows of retries are not removed",
                    "switch both on"));
        }
        List<String> without =
                examination.query(TABLES, Bind::nothing, row -> row.bool("unvacuumed") ? row.text("name") : "").stream()
                        .filter(name -> !name.isEmpty())
                        .toList();
        return List.of(
                without.isEmpty()
                        ? Finding.ok("on")
                        : Finding.warn(
                                "switched off for " + String.join(", ", without),
                                "alter table … reset (autovacuum_enabled)"));
    }
}
