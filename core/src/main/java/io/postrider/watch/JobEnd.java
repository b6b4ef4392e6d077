package io.postrider.watch;

/** How an attempt at a job was over. */
public enum JobEnd {
    /** The job is finished. */
    DONE,
    /** It failed and will be tried again. */
    RETRIED,
    /** The handler asked for another time. */
    SNOOZED,
    /** A service that it depends on is unavailable: it will be retried, and no attempt was counted. */
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
