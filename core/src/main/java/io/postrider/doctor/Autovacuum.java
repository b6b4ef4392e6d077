package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;
import java.util.Map;

/** Little is ever updated here, but statistics come from autovacuum, and the small tables of setbacks need it. */
final class Autovacuum implements Check {
    private static final Sql TABLES = Sql.file("doctor/tables");

    @Override
    public String name() {
        return "autovacuum";
    }

    @Override
    public List<Finding> look(Examination examination) {
        Map<String, String> settings = Settings.of(examination, List.of("autovacuum", "track_counts"));
        if (settings.containsValue("off")) {
            return List.of(Finding.warn(
                    "autovacuum or track_counts is off: no statistics, and dead rows of setbacks stay",
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
