package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Segments are made ahead, and nothing had to go beyond the last. */
final class Segments implements Check {
    private static final Sql SEGMENTS = Sql.file("doctor/segments");
    private static final Sql BEYOND = Sql.file("doctor/beyond");

    @Override
    public String name() {
        return "segments";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<Finding> findings = new ArrayList<>();
        findings.add(ahead(examination));
        record Beyond(String name, long rows) {}
        examination
                .query(BEYOND, Bind::nothing, row -> new Beyond(row.text("name"), row.int8("rows")))
                .forEach(beyond -> findings.add(Finding.warn(
                        (beyond.rows() >= 1_000 ? "1000 rows or more" : beyond.rows() + " rows") + " in "
                                + beyond.name() + ": nobody made segments when they were needed",
                        "nothing is lost, but retention cannot drop them; keep a node of the owner's role running")));
        return findings;
    }

    private static Finding ahead(Examination examination) {
        record Family(String name, long ahead, long kept) {}
        List<Family> families = examination.query(
                SEGMENTS, Bind::nothing, row -> new Family(row.text("family"), row.int8("ahead"), row.int8("kept")));
        String text = families.stream()
                .map(family -> family.name() + " " + family.ahead() + " ahead of " + family.kept())
                .collect(Collectors.joining(", "));
        return families.stream().allMatch(family -> family.ahead() > 0)
                ? Finding.ok(text)
                : Finding.warn(
                        text + ": the last one is in use",
                        "keep a node of the owner's role running; see rights to migrate");
    }
}
