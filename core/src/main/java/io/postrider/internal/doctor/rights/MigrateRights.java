package io.postrider.internal.doctor.rights;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The role owns the tables, which is needed to migrate and to create and drop segments. */
public final class MigrateRights implements Check {
    private static final Sql OWNER = Sql.file("doctor/owner");

    @Override
    public String name() {
        return "rights to migrate";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        return examination.query(OWNER, Bind::nothing, row -> {
            String role = row.text("role");
            String owner = row.text("owner");
            return row.bool("is_owner")
                    ? Finding.ok(role + " may act as the owner, " + owner)
                    : Finding.warn(
                            role + " is not the owner, " + owner + ": it cannot migrate, make segments or drop them",
                            "run migrations and at least one node as " + owner + ", or: grant " + Quoted.name(owner)
                                    + " to " + Quoted.name(role));
        });
    }
}
