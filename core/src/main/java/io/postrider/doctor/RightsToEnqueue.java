package io.postrider.doctor;

import java.util.List;

/** The role may write jobs. One that only emits need not. */
final class RightsToEnqueue implements Check {
    @Override
    public String name() {
        return "rights to enqueue";
    }

    @Override
    public List<Finding> look(Examination examination) {
        List<String> missing = Rights.missing(examination, "enqueue");
        return List.of(
                missing.isEmpty()
                        ? Finding.ok("this role may write jobs, if it may write events")
                        : Finding.warn(
                                "this role cannot enqueue: it lacks " + String.join(", ", missing),
                                "fine for one that only emits; else grant them to it"));
    }
}
