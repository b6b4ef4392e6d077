package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** Whether a pooler shares sessions between clients. */
public final class Pooler implements Check {
    @Override
    public String name() {
        return "pooler";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        try (ListenConnection line = ListenConnection.open(examination.direct(), examination.database())) {
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
