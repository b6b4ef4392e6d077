package io.postrider.internal.doctor.progress;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.ArrayList;
import java.util.List;

/** Checks that the table pass is not empty and that no sequence was set back below a number already used. */
public final class PositionCounters implements Check {
    private static final Sql UNDRAWN = Sql.file("doctor/undrawn");

    @Override
    public String name() {
        return "counters";
    }

    @Override
    public boolean isVital() {
        return true;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = new ArrayList<>();
        if (examination.within(SequencingHealth::isPassTableEmptied)) {
            findings.add(Finding.fail(
                    "table pass is empty although events have positions: no pass has run since it was emptied",
                    "start a node, whose first pass recovers; do not empty the table again"));
        }
        String schema = examination.database().schema().text();
        examination
                .within(SequencingHealth::numbersBelow)
                .forEach(one -> findings.add(Finding.fail(
                        one.text() + ": numbers will be used twice, and rows can be lost",
                        "select setval('" + schema + "." + one.sequence() + "', " + one.used() + ")")));
        findings.addAll(examination.query(
                UNDRAWN,
                Bind::nothing,
                row -> undrawn(schema, row.int8("events"), row.int8("first_id"), row.int8("last_id"))));
        return findings.isEmpty() ? List.of(Finding.ok("no sequence is below a used number")) : findings;
    }

    /** Does not advise to advance the sequence: after an id near the end of bigint it would come to its end. */
    private static Finding undrawn(String schema, long events, long first, long last) {
        return Finding.warn(
                events + " events have ids that no sequence drew (" + first + " to " + last
                        + "): they were inserted with an id of their own and may get no position",
                "insert them again without tx and id, then: delete from " + schema + ".event where id between " + first
                        + " and " + last + "; do not advance the sequence");
    }
}
