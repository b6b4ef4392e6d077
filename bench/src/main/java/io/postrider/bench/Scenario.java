package io.postrider.bench;

import java.util.List;

/** One question, answered with figures. */
public interface Scenario {
    /** As in {@code --only}. */
    String name();

    /** What is run against what, in a sentence: goes into the report. */
    String conditions(Scale scale);

    /** Until when a short run of all scenarios has come so far, in seconds. */
    double shortUntil();

    List<Figure> run(Bench bench) throws Exception;
}
