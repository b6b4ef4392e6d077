package io.postrider.watch;

/** How an attempt at a job was over. */
public enum JobEnd {
    /** The job is finished. */
    DONE,
    /** It failed and will be tried again. */
    RETRIED,
    /** The handler asked for another time. */
    SNOOZED,
    /** What it needs is away: it will be tried again, and no attempt was counted. */
    UNAVAILABLE,
    /** It is a dead letter. */
    DEAD,
    /** It is finished without having been done. */
    CANCELLED,
    /** The node closes, and hands it back. */
    RETURNED,
    /** It was settled before: by who took it over, or by a commit of which this node has not heard. */
    LOST
}
