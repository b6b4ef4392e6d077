package io.postrider.internal.doctor.rights;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/**
 * Names producers that may create objects. With a view or a domain of its own, a role gets around column grants or holds a lock
 * for as long as it likes.
 */
public final class ProducerObjects implements Check {
    private static final Sql MAKERS = Sql.file("doctor/object_makers");
    private static final Sql DATABASE = Sql.text("doctor/database", "select current_database()::text as name");

    private record Maker(String role, boolean temporary, List<String> schemas) {
        private String where() {
            String inSchemas = schemas.isEmpty() ? "" : "objects in schema " + String.join(", ", schemas);
            String both = temporary && !schemas.isEmpty() ? ", and " : "";
            return (temporary ? "temporary objects" : "") + both + inSchemas;
        }

        /** A right may come from PUBLIC or a group, so both are in the advice. */
        private String advice(String database) {
            String temporaries =
                    "revoke temporary on database " + Quoted.name(database) + " from PUBLIC, " + Quoted.name(role);
            String creation = "revoke create on schema "
                    + String.join(", ", schemas.stream().map(Quoted::name).toList()) + " from PUBLIC, "
                    + Quoted.name(role);
            if (schemas.isEmpty()) {
                return temporaries;
            }
            return temporary ? temporaries + "; " + creation : creation;
        }
    }

    @Override
    public String name() {
        return "objects of producers";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        String database = examination
                .query(DATABASE, Bind::nothing, row -> row.text("name"))
                .get(0);
        List<Maker> makers = examination.query(
                MAKERS,
                Bind::nothing,
                row -> new Maker(
                        row.text("role"),
                        row.bool("is_temporary"),
                        row.texts("schemas").stream().toList()));
        return makers.isEmpty()
                ? List.of(Finding.ok("no producer may create objects in this database"))
                : makers.stream()
                        .map(maker -> Finding.warn(
                                "producer " + maker.role() + " may create " + maker.where(), maker.advice(database)))
                        .toList();
    }
}
