package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;

/** The rights that the role lacks for a purpose, as they would stand in a GRANT. */
final class Rights {
    private static final Sql RIGHTS = Sql.file("doctor/rights");

    private Rights() {}

    static List<String> missing(Examination examination, String purpose) {
        record Missing(String purpose, String right) {}
        return examination
                .query(RIGHTS, Bind::nothing, row -> new Missing(row.text("purpose"), row.text("missing")))
                .stream()
                .filter(missing -> missing.purpose().equals(purpose))
                .map(Missing::right)
                .toList();
    }
}
