package io.postrider.internal.doctor.progress;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** Open transactions that have emitted events, the oldest first. */
public final class OpenEmitters implements Check {
    private static final Sql EMITTERS = Sql.file("doctor/emitters");
    private static final long LONG_SECONDS = 60;

    @Override
    public String name() {
        return "open emitters";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<BlockingSession> emitters = examination.query(EMITTERS, Bind::nothing, BlockingSession::read);
        if (emitters.isEmpty()) {
            return List.of(Finding.ok("no open transaction has emitted"));
        }
        return emitters.stream()
                .map(emitter -> emitter.seconds() < LONG_SECONDS
                        ? Finding.ok("emitted and not ended: " + emitter.text())
                        : Finding.warn(
                                "owns the oldest events without a position: " + emitter.text(),
                                "delays its own events only, but segments stay open for it; " + emitter.remedy()))
                .toList();
    }
}
