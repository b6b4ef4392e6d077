package io.postrider.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a job is waiting.
 *
 * @param until when it may run; null if it does not wait for a time
 * @param detail an explanation of the reason, with names and numbers
 */
public record WaitReason(Reason reason, @Nullable Instant until, String detail) {

    /** The reason why a job is waiting. */
    public enum Reason {
        /** The job is committed and has no position yet; if that lasts, no node assigns positions. */
        NO_POSITION,
        /** The job is scheduled for a later time. */
        TIME,
        /** An attempt failed, and the next one is scheduled. */
        RETRY,
        /** Its queue is paused. */
        PAUSED,
        /** No running node works on its queue. */
        NO_WORKER,
        /** No running node handles its type. */
        NO_HANDLER,
        /** Its queue limits how many jobs of a key run at the same time, and its key has reached the limit. */
        KEY,
        /** Its queue has reached a limit. */
        LIMIT,
        /** Two workers ended while they held the job; it waits until a worker can run it alone. */
        ALONE,
        /** It only waits for the jobs ahead of it. */
        BEHIND
    }
}
