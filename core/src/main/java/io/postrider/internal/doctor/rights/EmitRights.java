package io.postrider.internal.doctor.rights;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The role may emit events. */
public final class EmitRights implements Check {
    @Override
    public String name() {
        return "rights to emit";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<String> missing = MissingRights.missing(examination, "emit");
        return List.of(
                missing.isEmpty()
                        ? Finding.ok("this role may write events")
                        : Finding.fail("this role lacks " + String.join(", ", missing), "grant them to it"));
    }
}
