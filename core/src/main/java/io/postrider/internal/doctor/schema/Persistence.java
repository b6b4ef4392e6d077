package io.postrider.internal.doctor.schema;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The tables are logged; an unlogged table is empty after a crash. */
public final class Persistence implements Check {
    private static final Sql TABLES = Sql.file("doctor/tables");

    @Override
    public String name() {
        return "persistence";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        String schema = examination.database().schema().text();
        List<String> lossy =
                examination.query(TABLES, Bind::nothing, row -> row.bool("lossy") ? row.text("name") : "").stream()
                        .filter(name -> !name.isEmpty())
                        .toList();
        return List.of(
                lossy.isEmpty()
                        ? Finding.ok("every table survives a crash")
                        : Finding.fail(
                                "unlogged: " + String.join(", ", lossy) + "; empty after a crash",
                                "alter table " + schema + "." + lossy.get(0) + " set logged"));
    }
}
