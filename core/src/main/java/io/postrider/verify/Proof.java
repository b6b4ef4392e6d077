package io.postrider.verify;

import java.util.List;

/**
 * One promise, held against the database.
 *
 * @param name one word for scripts
 * @param promise what ought to hold
 * @param counted how many were looked at
 * @param violations how many of them break it
 * @param offenders the first few that do
 * @param note what else is worth knowing; may be empty
 */
public record Proof(String name, String promise, long counted, long violations, List<String> offenders, String note) {
    /** Whether the promise holds. */
    public boolean holds() {
        return violations == 0;
    }
}
