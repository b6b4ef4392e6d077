package io.postrider.internal.doctor.rights;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The role may enqueue jobs. A role that only emits does not need this. */
public final class EnqueueRights implements Check {
    @Override
    public String name() {
        return "rights to enqueue";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<String> missing = MissingRights.missing(examination, "enqueue");
        return List.of(
                missing.isEmpty()
                        ? Finding.ok("this role may write jobs, if it may write events")
                        : Finding.warn(
                                "this role cannot enqueue: it lacks " + String.join(", ", missing),
                                "ignore this if the role only emits; otherwise grant it these privileges"));
    }
}
