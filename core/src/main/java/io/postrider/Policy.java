package io.postrider;

/** What waits while an event that failed is tried again. After its last attempt it becomes a dead letter in any case. */
public enum Policy {
    /** Everything behind it: order above all. The default. */
    BLOCK,
    /** The later events of its key, in order; other keys flow. An event without a key waits alone. */
    PARK,
    /** Nothing: the event is tried again beside the flow. */
    SKIP
}
