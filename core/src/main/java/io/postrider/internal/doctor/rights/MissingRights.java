package io.postrider.internal.doctor.rights;

import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The privileges that the role lacks for a purpose, in the syntax of GRANT. */
final class MissingRights {
    private static final Sql RIGHTS = Sql.file("doctor/rights");

    private MissingRights() {}

    static List<String> missing(CheckContext examination, String purpose) {
        record Missing(String purpose, String right) {}
        return examination
                .query(RIGHTS, Bind::nothing, row -> new Missing(row.text("purpose"), row.text("missing")))
                .stream()
                .filter(missing -> missing.purpose().equals(purpose))
                .map(Missing::right)
                .toList();
    }
}
