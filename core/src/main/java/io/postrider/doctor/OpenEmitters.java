package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;

/** Open transactions that have emitted: who owns the oldest event that nobody can see yet. */
final class OpenEmitters implements Check {
    private static final Sql EMITTERS = Sql.file("doctor/emitters");
    private static final long LONG_SECONDS = 60;

    @Override
    public String name() {
        return "open emitters";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<Culprit> emitters = examination.query(EMITTERS, Bind::nothing, Culprit::read);
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
