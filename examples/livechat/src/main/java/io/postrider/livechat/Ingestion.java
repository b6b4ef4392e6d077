package io.postrider.livechat;

import java.util.List;

/**
 * Where a message goes before it is saved. When {@link #accept} has returned, the message survives a crash of everything: that
 * is when the author is told "queued". From there a job comes to {@link Intake}.
 */
interface Ingestion {
    /** Keeps the messages durably, in this order; gives a receipt for each. A message that is there already may come again. */
    List<String> accept(List<NewMessage> messages);

    /** Whether the message of this receipt is still to be saved. False: it was, or never will be. */
    boolean holds(String receipt);
}
