package io.postrider.doctor;

import java.util.List;

/** The role may write events. */
final class RightsToEmit implements Check {
    @Override
    public String name() {
        return "rights to emit";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<String> missing = Rights.missing(examination, "emit");
        return List.of(
                missing.isEmpty()
                        ? Finding.ok("this role may write events")
                        : Finding.fail("this role lacks " + String.join(", ", missing), "grant them to it"));
    }
}
