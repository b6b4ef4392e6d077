package io.postrider.internal.doctor.schema;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks that our functions do not resolve names in schemas where other roles may create objects: an operator or a function of
 * the same name would run with the node's rights. Also checks that JIT does not compile them: 114 ms instead of 0.5 for each
 * call.
 */
public final class SearchPath implements Check {
    private static final Sql FUNCTIONS = Sql.file("doctor/search_path");
    private static final Sql CREATORS = Sql.file("doctor/creators");
    private static final int MOST_NAMED = 5;

    private record Flaw(String function, boolean pinned, boolean plain) {}

    @Override
    public String name() {
        return "search path";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Flaw> flaws = examination.query(
                FUNCTIONS, Bind::nothing, row -> new Flaw(row.text("name"), row.bool("pinned"), row.bool("plain")));
        List<Finding> findings = new ArrayList<>();
        add(findings, flaws.stream().filter(flaw -> !flaw.pinned()).toList(), "search_path is not pinned");
        add(findings, flaws.stream().filter(flaw -> !flaw.plain()).toList(), "jit is not off");
        findings.addAll(examination.query(
                CREATORS,
                Bind::nothing,
                row -> Finding.warn(
                        row.text("roles") + " may create in schema " + row.text("schema")
                                + ", which is on the search_path of this role",
                        "revoke create on schema " + Quoted.name(row.text("schema")) + " from "
                                + row.texts("grantees").stream()
                                        .map(role -> role.isEmpty() ? "PUBLIC" : Quoted.name(role))
                                        .collect(Collectors.joining(", ")))));
        return findings.isEmpty()
                ? List.of(Finding.ok("pinned in every function; no other role may create objects in its schemas"))
                : findings;
    }

    private static void add(List<Finding> to, List<Flaw> flaws, String flaw) {
        if (!flaws.isEmpty()) {
            String names = flaws.stream().limit(MOST_NAMED).map(Flaw::function).collect(Collectors.joining(", "));
            to.add(Finding.warn(
                    flaw + " in " + flaws.size() + " functions: " + names + (flaws.size() > MOST_NAMED ? ", …" : ""),
                    "run `postrider migrate`, which replaces the functions; do not change them"));
        }
    }
}
