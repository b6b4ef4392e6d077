package io.postrider.livechat;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that is not saved yet: the payload of the job {@code ingest}.
 *
 * @param project from the author's token, never from the request
 * @param conversation the conversation that an agent answers in; null for a visitor, who has only one
 * @param client the id that the author's page generated: a message that is sent again has the same id
 * @param pilot whether the auto-pilot wrote it: the companion counts it and does not answer
 * @param accepted when the stream before the queue accepted it; null: it was queued immediately
 */
record NewMessage(
        String project,
        Author author,
        @Nullable UUID conversation,
        String client,
        String text,
        boolean pilot,
        @Nullable Instant accepted) {

    NewMessage acceptedAt(Instant at) {
        return new NewMessage(project, author, conversation, client, text, pilot, at);
    }
}
