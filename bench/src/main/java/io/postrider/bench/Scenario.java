package io.postrider.bench;

import io.postrider.bench.report.Figure;
import java.util.List;

/** One question, answered with figures. */
public interface Scenario {
    /** Its name, as in {@code --only}. */
    String name();

    /** What is compared, in one sentence for the report. */
    String conditions(Scale scale);

    /** The time by which a short run of all scenarios has completed this one, in seconds. */
    double shortUntil();

    List<Figure> run(BenchContext bench) throws Exception;
}
