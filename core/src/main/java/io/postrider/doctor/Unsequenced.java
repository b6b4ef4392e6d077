package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;
import java.util.Optional;

/** Committed events that have no position: there for a moment only, if somebody sequences. */
final class Unsequenced implements Check {
    private static final Sql SEQUENCER = Sql.file("doctor/sequencer");

    @Override
    public String name() {
        return "sequencer";
    }

    @Override
    public boolean isVital() {
        return true;
    }

    @Override
    public List<Finding> look(Examination examination) {
        Sequencing.Waiting waiting = examination.within(Sequencing::waiting);
        if (waiting.isStalled()) {
            // Events of a long transaction are already old when it commits.
            examination.pause();
            waiting = examination.within(Sequencing::waiting);
        }
        Optional<Culprit> leader = examination.one(SEQUENCER, Bind::nothing, Culprit::read);
        String who = leader.map(culprit -> "sequenced by " + culprit.text()).orElse("no node runs");
        String text = (waiting.events() == 0 ? "no committed event waits for a position" : waiting.text()) + "; " + who;
        if (!waiting.isStalled()) {
            return List.of(Finding.ok(text));
        }
        Optional<Culprit> holder = examination.within(Sequencing::lockHolder);
        if (holder.isPresent()) {
            return List.of(Finding.fail(
                    text + "; the sequencing lock is held by " + holder.get().text(),
                    holder.get().remedy()));
        }
        return List.of(leader.map(culprit -> Finding.fail(text, "if it hangs, another takes over: " + culprit.remedy()))
                .orElseGet(() -> Finding.fail(
                        text, "start a node of your application, or `postrider tail TOPIC --follow` until one runs")));
    }
}
