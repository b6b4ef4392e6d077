package io.postrider.internal.settle;

import io.postrider.admin.JobEnd;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is written about a claimed job: the fate its handler gave it, after the retry policy of its type has been applied. */
public sealed interface Outcome {
    /** The outcome as it is reported to a {@link io.postrider.admin.Watch}. */
    JobEnd watched();

    /** The code of the error; null if there is none. */
    default @Nullable String code() {
        return null;
    }

    /** The error; null if there is none. */
    default @Nullable String error() {
        return null;
    }

    /** The exception that it failed with; null if there was none. */
    default @Nullable Throwable cause() {
        return null;
    }

    /** Finished. */
    record Done(@Nullable String result) implements Outcome {
        @Override
        public JobEnd watched() {
            return JobEnd.DONE;
        }
    }

    /** Finished without being done. */
    record Cancelled(String reason) implements Outcome {
        @Override
        public JobEnd watched() {
            return JobEnd.CANCELLED;
        }
    }

    /** A dead letter. */
    record Dead(String code, String error, @Nullable Throwable cause) implements Outcome {
        public Dead(String code, String error) {
            this(code, error, null);
        }

        @Override
        public JobEnd watched() {
            return JobEnd.DEAD;
        }
    }

    /**
     * Not finished: it is scheduled individually from now on and runs when it is due.
     *
     * @param counted whether this attempt counts
     */
    record Delayed(
            DelayReason reason,
            Duration delay,
            boolean counted,
            @Nullable String code,
            @Nullable String error,
            @Nullable Throwable cause)
            implements Outcome {
        /** Nothing has failed, and no attempt counts. */
        public Delayed(DelayReason reason, Duration delay) {
            this(reason, delay, false, null, null, null);
        }

        @Override
        public JobEnd watched() {
            return switch (reason) {
                case RETRY -> JobEnd.RETRIED;
                case SNOOZE -> JobEnd.SNOOZED;
                case UNAVAILABLE -> JobEnd.UNAVAILABLE;
                default -> JobEnd.RETURNED;
            };
        }
    }
}
