package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.ArrayList;
import java.util.List;

/** The event log can be read, has partitions to come, and follows. */
final class EventLogState implements Check {
    private static final Sql STATE = Sql.file("doctor/event_log");
    private static final Sql LAG = Sql.file("doctor/event_log_lag");

    private record State(String role, String reader, boolean mayAct, boolean bypasses, long topics, boolean ahead) {}

    @Override
    public String name() {
        return "event log";
    }

    @Override
    public List<Finding> look(Examination examination) {
        State state = examination
                .one(
                        STATE,
                        Bind::nothing,
                        row -> new State(
                                row.text("role"),
                                row.text("reader"),
                                row.bool("may_act"),
                                row.bool("bypasses"),
                                row.int8("topics"),
                                row.bool("ahead")))
                .orElseThrow();
        List<Finding> findings = new ArrayList<>();
        if (state.bypasses() && !state.mayAct()) {
            findings.add(Finding.warn(
                    "its reads are refused: row-level security does not hold for " + state.role()
                            + ", and it cannot act as " + state.reader(),
                    "run `postrider migrate` as a role that may create roles, or: grant " + state.reader() + " to "
                            + state.role()));
        }
        if (!state.ahead()) {
            findings.add(Finding.warn(
                    "it has no partition for tomorrow: rows will go to event_log_beyond",
                    "run a node as the owner of the schema; look who holds a lock on event_log"));
        }
        examination
                .query(LAG, Bind::nothing, row -> row.text("name") + " is " + row.int8("lag") + " events behind")
                .forEach(text -> findings.add(Finding.warn(text, "see whether its node runs, and what it waits for")));
        if (findings.isEmpty()) {
            String as = state.mayAct() ? state.reader() : state.role();
            findings.add(Finding.ok(state.topics() + " topics are recorded; read as " + as));
        }
        return findings;
    }
}
