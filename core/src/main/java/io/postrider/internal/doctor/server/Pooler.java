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
                                    "a pooler is between Postrider and the server: no notifications, nodes poll",
                                    "give nodes a direct connection (Options.withDirect; here: --direct-url), and the driver"
                                            + " prepareThreshold=0 unless the pooler supports prepared statements")
                            : Finding.ok("no pooler between Postrider and the server"));
        }
    }
}
