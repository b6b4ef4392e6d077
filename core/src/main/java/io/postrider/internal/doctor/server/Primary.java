package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The server is not a standby: snapshots there do not list running transactions, so sequencing would lose events. */
public final class Primary implements Check {
    @Override
    public String name() {
        return "primary";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        ServerInfo server = ServerInfo.of(examination);
        if (server.standby()) {
            return List.of(Finding.fail("this server is a standby", "connect to the primary"));
        }
        if (server.readOnly()) {
            return List.of(Finding.fail(
                    "transactions are read only here",
                    "set default_transaction_read_only = off for this role or database"));
        }
        return List.of(Finding.ok("a primary that can be written to"));
    }
}
