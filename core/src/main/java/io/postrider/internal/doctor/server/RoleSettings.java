package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The defaults of the role. Transactions of Postrider override them, those of the application do not. */
public final class RoleSettings implements Check {
    private static final List<String> NAMES = List.of(
            "default_transaction_isolation",
            "synchronous_commit",
            "statement_timeout",
            "idle_in_transaction_session_timeout");

    @Override
    public String name() {
        return "role settings";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        Map<String, String> settings = ServerSettings.of(examination, NAMES);
        List<Finding> findings = new ArrayList<>();
        String commit = settings.getOrDefault("synchronous_commit", "on");
        if (commit.equals("off")) {
            findings.add(Finding.warn(
                    "synchronous_commit = off: a crash loses the last commits, including their events",
                    "set it to on for this role, or accept the loss: an event is delivered only after"
                            + " it is durable, so no listener sees an event that is lost"));
        }
        findings.add(Finding.ok("isolation " + settings.getOrDefault("default_transaction_isolation", "?")
                + ", synchronous_commit " + commit
                + ", statement_timeout " + timeout(settings, "statement_timeout")
                + ", idle_in_transaction_session_timeout "
                + timeout(settings, "idle_in_transaction_session_timeout")));
        return findings;
    }

    /** The server reports milliseconds. */
    private static String timeout(Map<String, String> settings, String name) {
        String millis = settings.getOrDefault(name, "0");
        return millis.equals("0") ? "none" : millis + " ms";
    }
}
