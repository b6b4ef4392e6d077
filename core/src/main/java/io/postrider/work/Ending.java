package io.postrider.work;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is written about a job that was claimed: its fate, after its type's retry policy has been asked. */
sealed interface Ending {
    /** Finished. */
    record Done(@Nullable String result) implements Ending {}

    /** Finished without being done. */
    record Cancelled(String reason) implements Ending {}

    /** A dead letter. */
    record Dead(String error) implements Ending {}

    /**
     * It goes by itself from now on, when it is due.
     *
     * @param why due, retry, snooze, returned, unknown
     * @param counted whether this attempt counts
     */
    record Aside(
            String why,
            Duration delay,
            boolean counted,
            @Nullable String code,
            @Nullable String error) implements Ending {}
}
