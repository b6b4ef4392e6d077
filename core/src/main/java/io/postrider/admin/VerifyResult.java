package io.postrider.admin;

import java.util.List;

/**
 * The result of checking one guarantee against the database.
 *
 * @param name one word for scripts
 * @param promise the guarantee
 * @param counted how many rows were checked
 * @param violations how many of them violate it
 * @param offenders the first few that do
 * @param note additional information; may be empty
 */
public record VerifyResult(
        String name, String promise, long counted, long violations, List<String> offenders, String note) {
    /** Whether the guarantee holds. */
    public boolean holds() {
        return violations == 0;
    }
}
