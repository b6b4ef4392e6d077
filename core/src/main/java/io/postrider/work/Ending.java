package io.postrider.work;

import io.postrider.watch.JobEnd;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is written about a job that was claimed: its fate, after its type's retry policy has been asked. */
sealed interface Ending {
    /** What one who watches is told. */
    JobEnd watched();

    /** What went wrong; null: nothing did. */
    default @Nullable String error() {
        return null;
    }

    /** The exception that it failed with; null if there was none. */
    default @Nullable Throwable cause() {
        return null;
    }

    /** Finished. */
    record Done(@Nullable String result) implements Ending {
        @Override
        public JobEnd watched() {
            return JobEnd.DONE;
        }
    }

    /** Finished without being done. */
    record Cancelled(String reason) implements Ending {
        @Override
        public JobEnd watched() {
            return JobEnd.CANCELLED;
        }
    }

    /** A dead letter. */
    record Dead(String code, String error, @Nullable Throwable cause) implements Ending {
        Dead(String code, String error) {
            this(code, error, null);
        }

        @Override
        public JobEnd watched() {
            return JobEnd.DEAD;
        }
    }

    /**
     * It goes by itself from now on, when it is due.
     *
     * @param why due, retry, snooze, unavailable, returned, unknown, key
     * @param counted whether this attempt counts
     */
    record Aside(
            String why,
            Duration delay,
            boolean counted,
            @Nullable String code,
            @Nullable String error,
            @Nullable Throwable cause)
            implements Ending {
        /** Nothing has failed. */
        Aside(String why, Duration delay) {
            this(why, delay, false, null, null, null);
        }

        @Override
        public JobEnd watched() {
            return switch (why) {
                case "retry" -> JobEnd.RETRIED;
                case "snooze" -> JobEnd.SNOOZED;
                case "unavailable" -> JobEnd.UNAVAILABLE;
                default -> JobEnd.RETURNED;
            };
        }
    }
}
