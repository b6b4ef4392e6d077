package io.postrider.livechat;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a message goes before it is saved. When {@link #accept} has returned, the message survives whatever the database, or the
 * stream before it, survives: that is when the author is told "queued". From there a job comes to {@link Intake}.
 */
interface Ingestion {
    /** Keeps the messages, in this order; gives a receipt for each. A message that is there already may come again. */
    List<String> accept(List<NewMessage> messages);

    /** Whether the message of this receipt is still to be saved. False: it was, or never will be. */
    boolean holds(String receipt);

    /** What stands before the queue; null: nothing, messages are queued in the database at once. */
    @Nullable
    Ahead ahead();

    /**
     * A stream before the queue.
     *
     * @param name whose it is, such as Redis
     * @param waiting how many messages are in it; null: it does not answer, and takes none
     */
    record Ahead(String name, @Nullable Long waiting) {}
}
