package io.postrider;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which messages of another publisher a sink reads for a comparison in shadow mode.
 *
 * @param place the topic, stream or channel; null: the one that the sink sends to
 * @param since messages that are older than this need not be read
 * @param listenFor how long to listen to a channel, which keeps no messages. Ignored if the messages are stored: then everything
 *     up to the present end is read
 * @param most the maximum number of messages
 */
public record PublishedQuery(@Nullable String place, Instant since, Duration listenFor, int most) {}
