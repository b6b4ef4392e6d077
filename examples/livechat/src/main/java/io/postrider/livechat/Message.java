package io.postrider.livechat;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as it was saved: a row of {@code livechat.message}, the payload of {@code message:created}, and what a page gets in
 * a snapshot. The same in all three, so that a page can merge them by {@code id}.
 *
 * @param order when it was accepted, in microseconds; sorts the conversation
 * @param answers the message that the companion answers
 * @param attempt the attempt of the companion's job that answered
 */
record Message(
        long id,
        UUID conversation,
        long order,
        Author author,
        String client,
        String text,
        List<String> mentions,
        boolean pilot,
        @Nullable Long answers,
        int attempt,
        Instant at) {}
