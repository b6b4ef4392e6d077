package io.postrider.livechat;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that somebody wants to have said: the payload of the job {@code ingest}.
 *
 * @param project of the author's token, never of the request
 * @param conversation which one an agent answers in; null for a visitor, who has one
 * @param client the id that the author's page drew for it: sent again, it is the same message
 * @param pilot written by the auto-pilot: counted by the companion, not answered
 */
record NewMessage(
        String project, Author author, @Nullable UUID conversation, String client, String text, boolean pilot) {}
