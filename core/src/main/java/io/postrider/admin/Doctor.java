package io.postrider.admin;

import java.util.Optional;
import java.util.function.BiConsumer;

/** Checks the database and the roles, and advises how to fix each problem. Read-only. Thread-safe. */
public interface Doctor {
    /**
     * Runs every check, one after the other. A check that fails does not stop the others.
     *
     * @param to receives each finding with the name of its check, as soon as it is made
     */
    void examine(BiConsumer<String, Finding> to);

    /** Why committed events get no position, for health checks; empty if they get one. */
    Optional<String> sequencingTrouble();
}
