package io.postrider;

/** Which events wait while a failed event is retried. After its last attempt the event becomes a dead letter in any case. */
public enum FailurePolicy {
    /** All later events, so that the order is kept. The default. */
    BLOCK,
    /** The later events of its key, in order; events of other keys continue. An event without a key waits alone. */
    PARK,
    /** None: later events continue, and the failed event is retried separately. */
    SKIP
}
