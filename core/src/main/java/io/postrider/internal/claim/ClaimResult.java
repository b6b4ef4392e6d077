package io.postrider.internal.claim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a claim.
 *
 * @param claim null if nothing was claimed
 * @param refusal why nothing was claimed; null if something was
 * @param claimedUpto the last position of the lane that any worker has claimed
 * @param found the first jobs of the claim
 */
public record ClaimResult(@Nullable Claim claim, @Nullable Refusal refusal, long claimedUpto, List<FoundJob> found) {
    /** Why nothing was claimed. */
    public enum Refusal {
        /** Every position of the lane is claimed. */
        EMPTY,
        /** The queue is paused. */
        PAUSED,
        /** The queue has reached one of its limits. */
        LIMITED;

        /** Translates the word of claim(). */
        static @Nullable Refusal of(@Nullable String word) {
            if (word == null) {
                return null;
            }
            return switch (word) {
                case "paused" -> PAUSED;
                case "limited" -> LIMITED;
                default -> EMPTY;
            };
        }
    }

    public boolean isLimited() {
        return refusal == Refusal.LIMITED;
    }
}
