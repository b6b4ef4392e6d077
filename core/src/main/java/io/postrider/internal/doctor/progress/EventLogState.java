package io.postrider.internal.doctor.progress;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.ArrayList;
import java.util.List;

/** The event log is readable, has partitions for the next days and is up to date. */
public final class EventLogState implements Check {
    private static final Sql STATE = Sql.file("doctor/event_log");
    private static final Sql LAG = Sql.file("doctor/event_log_lag");

    private static final Sql UNRECORDED = Sql.file("doctor/unrecorded_topics");

    /** The server's default limit. If fewer topics exist, an operator has chosen which are recorded. */
    private static final long LIMIT = 200;

    /** @param atLeast whether there may be more, because the count stops at 1,000 */
    private record Unrecorded(long topics, boolean atLeast, String one) {
        String count() {
            return (atLeast ? "at least " : "") + topics;
        }
    }

    private record State(String role, String reader, boolean mayAct, boolean bypasses, long topics, boolean ahead) {}

    @Override
    public String name() {
        return "event log";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
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
                    "its reads are refused: row-level security does not apply to " + state.role()
                            + ", and it cannot act as " + state.reader(),
                    "run `postrider migrate` as a role that may create roles, or: grant " + Quoted.name(state.reader())
                            + " to " + Quoted.name(state.role())));
        }
        if (!state.ahead()) {
            findings.add(Finding.warn(
                    "it has no partition for tomorrow: rows will go to event_log_beyond",
                    "run a node as the owner of the schema; check which session holds a lock on event_log"));
        }
        examination
                .query(LAG, Bind::nothing, row -> row.text("name") + " is " + row.int8("lag") + " events behind")
                .forEach(text ->
                        findings.add(Finding.warn(text, "check that its node runs, and which lock it waits for")));
        Unrecorded unrecorded = examination
                .one(
                        UNRECORDED,
                        Bind::nothing,
                        row -> new Unrecorded(
                                row.int8("topics"), row.bool("at_least"), String.valueOf(row.textOrNull("one"))))
                .orElseThrow();
        if (state.topics() >= LIMIT && unrecorded.topics() > 0) {
            findings.add(Finding.warn(
                    state.topics() + " topics are recorded and " + unrecorded.count() + " are not, such as "
                            + unrecorded.one() + ": they cannot be read from the event log",
                    "raise postrider.event-log.topic-limit of the server, or name the topics to record in"
                            + " postrider.event-log.topics"));
        }
        if (findings.isEmpty()) {
            String as = state.mayAct() ? state.reader() : state.role();
            String others = unrecorded.topics() == 0 ? "" : ", " + unrecorded.count() + " are not";
            findings.add(Finding.ok(state.topics() + " topics are recorded" + others + "; read as " + as));
        }
        return findings;
    }
}
