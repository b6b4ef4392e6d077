package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;

/** The role owns the tables: needed to migrate, and by the node that makes and drops segments. */
final class RightsToMigrate implements Check {
    private static final Sql OWNER = Sql.file("doctor/owner");

    @Override
    public String name() {
        return "rights to migrate";
    }

    @Override
    public List<Finding> look(Examination examination) {
        return examination.query(OWNER, Bind::nothing, row -> {
            String role = row.text("role");
            String owner = row.text("owner");
            return row.bool("is_owner")
                    ? Finding.ok(role + " may act as the owner, " + owner)
                    : Finding.warn(
                            role + " is not the owner, " + owner + ": it cannot migrate, make segments or drop them",
                            "run migrations and at least one node as " + owner + ", or: grant " + owner + " to "
                                    + role);
        });
    }
}
