package io.postrider.internal.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job as it was read, and why it may not begin now.
 *
 * @param delay how long until it is due; null if it is due
 * @param hold null if nothing but the delay holds it
 */
public record FoundJob(
        HeldJob heldJob, @Nullable Duration delay, @Nullable Hold hold) {
    /** Why a claimed job may not begin. */
    public enum Hold {
        /** It was cancelled. */
        CANCELLED,
        /** Its key is taken, or other jobs wait for it. */
        KEY,
        /** The worker does not handle its type. */
        UNKNOWN_TYPE,
        /** Its due time is out of range: it can never be due. */
        NEVER_DUE,
        /** Its event was deleted, or the row cannot be read. */
        UNREADABLE;

        /** Translates the word of claim() and claimed(); null if nothing holds the job, or nothing that this version knows. */
        static @Nullable Hold of(@Nullable String word) {
            if (word == null) {
                return null;
            }
            return switch (word) {
                case "cancelled" -> CANCELLED;
                case "key" -> KEY;
                case "unknown" -> UNKNOWN_TYPE;
                case "bad" -> NEVER_DUE;
                default -> null;
            };
        }
    }

    /**
     * The same job, held because of its key if it has one: a claim without reading has not counted the jobs of each key, so it
     * waits until a claim does.
     */
    public FoundJob heldByKey() {
        return hold != null || heldJob.job().key() == null ? this : new FoundJob(heldJob, delay, Hold.KEY);
    }
}
