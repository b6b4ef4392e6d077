package io.postrider.doctor;

import java.util.List;

/** Not a standby: a snapshot there lists no running transactions, and a pass would lose events. */
final class Primary implements Check {
    @Override
    public String name() {
        return "primary";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(Examination examination) {
        Server server = Server.of(examination);
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
