package io.postrider.internal.doctor.progress;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;
import java.util.Optional;

/** Committed events without a position. With a running node they exist only for a moment. */
public final class UnsequencedEvents implements Check {
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
    public List<Finding> look(CheckContext examination) {
        SequencingHealth.Waiting waiting = examination.within(SequencingHealth::waiting);
        if (waiting.isStalled()) {
            // Events of a long transaction are already old when it commits.
            examination.pause();
            waiting = examination.within(SequencingHealth::waiting);
        }
        Optional<BlockingSession> leader = examination.one(SEQUENCER, Bind::nothing, BlockingSession::read);
        String who = leader.map(culprit -> "sequenced by " + culprit.text()).orElse("no node runs");
        String text = (waiting.events() == 0 ? "no committed event waits for a position" : waiting.text()) + "; " + who;
        if (!waiting.isStalled()) {
            return List.of(Finding.ok(text));
        }
        Optional<BlockingSession> holder = examination.within(SequencingHealth::lockHolder);
        if (holder.isPresent()) {
            return List.of(Finding.fail(
                    text + "; the sequencing lock is held by " + holder.get().text(),
                    holder.get().remedy()));
        }
        return List.of(leader.map(culprit ->
                        Finding.fail(text, "if this node hangs, make another one take over: " + culprit.remedy()))
                .orElseGet(() -> Finding.fail(
                        text, "start a node of your application, or `postrider tail TOPIC --follow` until one runs")));
    }
}
