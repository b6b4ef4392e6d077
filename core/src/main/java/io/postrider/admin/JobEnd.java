package io.postrider.admin;

/** How an attempt at a job ended. */
public enum JobEnd {
    /** The job is finished. */
    DONE,
    /** It failed and will be retried. */
    RETRIED,
    /** The handler asked to run it again at a later time. */
    SNOOZED,
    /** A service that it depends on is unavailable: it will be retried, and no attempt was counted. */
    UNAVAILABLE,
    /** It is a dead letter. */
    DEAD,
    /** It was cancelled. */
    CANCELLED,
    /** The node is closing and has released it. */
    RETURNED,
    /** It was settled before: by the node that took it over, or by a commit whose answer this node did not receive. */
    LOST
}
