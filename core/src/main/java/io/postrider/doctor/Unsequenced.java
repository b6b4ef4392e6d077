package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;
import java.util.Optional;

/** Committed events that have no position: there for a moment only, if somebody sequences. */
final class Unsequenced implements Check {
    private static final Sql UNSEQUENCED = Sql.file("doctor/unsequenced");
    private static final Sql SEQUENCER = Sql.file("doctor/sequencer");
    private static final long LONG_SECONDS = 5;

    @Override
    public String name() {
        return "sequencer";
    }

    @Override
    public List<Finding> look(Examination examination) {
        record Waiting(long events, long seconds) {}
        Waiting waiting = examination
                .one(UNSEQUENCED, Bind::nothing, row -> new Waiting(row.int8("events"), row.int8("seconds")))
                .orElseThrow();
        Optional<Culprit> leader = examination.one(SEQUENCER, Bind::nothing, Culprit::read);
        String who = leader.map(culprit -> "sequenced by " + culprit.text()).orElse("no node runs");
        String text = waiting.events() == 0
                ? "no committed event waits for a position; " + who
                : waiting.events() + " committed events wait for a position, the oldest for "
                        + Culprit.age(waiting.seconds()) + "; " + who;
        if (waiting.events() == 0 || waiting.seconds() <= LONG_SECONDS) {
            return List.of(Finding.ok(text));
        }
        return List.of(leader.map(culprit -> Finding.fail(text, "if it hangs, another takes over: " + culprit.remedy()))
                .orElseGet(() -> Finding.fail(
                        text, "start a node of your application, or `postrider tail TOPIC --follow` until one runs")));
    }
}
