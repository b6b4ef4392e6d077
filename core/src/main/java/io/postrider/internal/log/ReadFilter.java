package io.postrider.internal.log;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which events a reader wants. The filter runs in the database.
 *
 * @param types null: all
 * @param projects null: all, also events without a project
 */
public record ReadFilter(
        @Nullable Set<String> types, @Nullable Set<String> projects) {
    /** Wants every event. */
    public static final ReadFilter ALL = new ReadFilter(null, null);

    public boolean isAll() {
        return types == null && projects == null;
    }
}
