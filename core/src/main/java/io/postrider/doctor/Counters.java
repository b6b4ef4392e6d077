package io.postrider.doctor;

import java.util.ArrayList;
import java.util.List;

/** What sequencing counts by: the passes are there, and no sequence was set back below a number that was used. */
final class Counters implements Check {
    @Override
    public String name() {
        return "counters";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<Finding> findings = new ArrayList<>();
        if (examination.within(Sequencing::isPassTableEmptied)) {
            findings.add(Finding.fail(
                    "table pass is empty although events have positions: sequencing cannot continue",
                    "restore table pass from a backup; do not truncate it again"));
        }
        String schema = examination.database().schema().text();
        examination
                .within(Sequencing::numbersBelow)
                .forEach(one -> findings.add(Finding.fail(
                        one.text() + ": numbers are given twice, and rows can be lost",
                        "select setval('" + schema + "." + one.sequence() + "', " + one.used() + ")")));
        return findings.isEmpty() ? List.of(Finding.ok("no sequence is below what was used")) : findings;
    }
}
