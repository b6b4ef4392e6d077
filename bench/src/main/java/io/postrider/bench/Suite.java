package io.postrider.bench;

import java.util.List;

/**
 * More scenarios behind {@code bench}, in a module of their own since they need more on the class path; found by {@link
 * java.util.ServiceLoader}.
 */
public interface Suite {
    /** The word behind {@code bench}. */
    String name();

    /** In the order in which they run. */
    List<Scenario> scenarios();
}
