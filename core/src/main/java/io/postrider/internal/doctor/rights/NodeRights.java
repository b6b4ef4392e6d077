package io.postrider.internal.doctor.rights;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The role may run a node. A role that only emits does not need this. */
public final class NodeRights implements Check {
    @Override
    public String name() {
        return "rights of a node";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<String> missing = MissingRights.missing(examination, "node");
        return List.of(
                missing.isEmpty()
                        ? Finding.ok("this role may assign positions and listen")
                        : Finding.warn(
                                "this role can only emit: it lacks " + String.join(", ", missing),
                                "fine for a producer; nodes must run as a role that has them"));
    }
}
