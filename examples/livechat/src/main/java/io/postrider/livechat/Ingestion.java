package io.postrider.livechat;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Accepts messages before they are saved. When {@link #accept} has returned, the message is as durable as the database, or the
 * stream before it: the author then sees "queued". From there a job passes it to {@link Intake}.
 */
interface Ingestion {
    /** Stores the messages in this order; returns a receipt for each. A message may be sent again. */
    List<String> accept(List<NewMessage> messages);

    /** Those of the receipts whose messages are still to be saved. The others were saved, or never will be. */
    Set<String> held(Collection<String> receipts);

    /** Whether the message of this receipt is still to be saved. */
    default boolean holds(String receipt) {
        return held(List.of(receipt)).contains(receipt);
    }

    /** The stream before the queue; null if there is none and messages are queued in the database immediately. */
    @Nullable
    Ahead ahead();

    /**
     * A stream before the queue.
     *
     * @param name the name of the stream's server, such as Redis
     * @param waiting number of messages in it; null: it does not answer, and accepts none
     */
    record Ahead(String name, @Nullable Long waiting) {}
}
