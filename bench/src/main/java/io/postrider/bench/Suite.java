package io.postrider.bench;

import java.util.List;

/**
 * Additional scenarios for {@code bench}, in a separate module since they need more on the class path; found by
 * {@link java.util.ServiceLoader}.
 */
public interface Suite {
    /** The word after {@code bench}. */
    String name();

    /** In the order in which they run. */
    List<Scenario> scenarios();
}
