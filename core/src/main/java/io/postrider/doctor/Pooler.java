package io.postrider.doctor;

import io.postrider.db.Line;
import java.util.List;

/** Whether something between us and the server hands sessions to others. */
final class Pooler implements Check {
    @Override
    public String name() {
        return "pooler";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(Examination examination) {
        try (Line line = Line.open(examination.direct(), examination.database())) {
            return List.of(
                    line.isPooled()
                            ? Finding.warn(
                                    "a pooler stands between us and the server: no wake-up, nodes look again and again",
                                    "give nodes a direct connection (Options.withDirect; here: --direct-url), and the driver"
                                            + " prepareThreshold=0 unless the pooler knows prepared statements")
                            : Finding.ok("none between us and the server"));
        }
    }
}
