package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import io.postrider.internal.schema.DatabaseCheck;
import java.util.List;

/** The version of the server is supported. */
public final class ServerVersion implements Check {
    @Override
    public String name() {
        return "version";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        ServerInfo server = ServerInfo.of(examination);
        return List.of(
                server.version() < DatabaseCheck.OLDEST
                        ? Finding.fail("PostgreSQL " + server.text() + " is too old", "upgrade to 14 or newer")
                        : Finding.ok("PostgreSQL " + server.text()));
    }
}
