package io.postrider.doctor;

import io.postrider.schema.DatabaseCheck;
import java.util.List;

/** A version that Postrider is tested on. */
final class ServerVersion implements Check {
    @Override
    public String name() {
        return "version";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(Examination examination) {
        Server server = Server.of(examination);
        return List.of(
                server.version() < DatabaseCheck.OLDEST
                        ? Finding.fail("PostgreSQL " + server.text() + " is too old", "upgrade to 14 or newer")
                        : Finding.ok("PostgreSQL " + server.text()));
    }
}
