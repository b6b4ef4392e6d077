package io.postrider.doctor;

import java.util.List;

/** The role may sequence and listen. A role that only emits need not. */
final class RightsOfANode implements Check {
    @Override
    public String name() {
        return "rights of a node";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<String> missing = Rights.missing(examination, "node");
        return List.of(
                missing.isEmpty()
                        ? Finding.ok("this role may sequence and listen")
                        : Finding.warn(
                                "this role can emit at most: it lacks " + String.join(", ", missing),
                                "fine for a producer; nodes must run as a role that has them"));
    }
}
