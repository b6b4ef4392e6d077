package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;
import java.util.Map;

/** Two-phase commit: PostgreSQL cannot prepare a transaction that has sent a notification. */
public final class PreparedTransactions implements Check {
    @Override
    public String name() {
        return "two-phase commit";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        Map<String, String> settings = ServerSettings.of(examination, List.of("max_prepared_transactions"));
        String most = settings.getOrDefault("max_prepared_transactions", "0");
        return List.of(Finding.ok(
                most.equals("0")
                        ? "not possible here (max_prepared_transactions = 0)"
                        : "possible (max_prepared_transactions = " + most
                                + "): set postrider.notify = off in a transaction that emits and is prepared"));
    }
}
