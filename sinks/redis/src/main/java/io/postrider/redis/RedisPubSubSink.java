package io.postrider.redis;

import io.lettuce.core.RedisFuture;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.redis.RedisLink.Replies;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Publishes each event as an {@link Envelope} on a channel.
 *
 * <p>Redis passes a message to the current subscribers and forgets it. Without a subscriber, after a lost connection, or for a
 * slow subscriber (32 MiB behind, or 8 MiB for 60 s) the message is lost, and no receipt can show that. So a message is only a
 * hint with a position, and subscribers read missing events from the log, as {@link RedisFeed} does. One relay uses one
 * connection, so messages are published in log order. With a channel secret in the options they are signed.
 *
 * <p>Redis never refuses a single event: any error (no permission, a replica, loading) affects all of them, so the sink counts as
 * unavailable. Safe to share.
 */
public final class RedisPubSubSink implements Sink {
    /** The default channel. */
    public static final String CHANNEL = "new_message_channel";

    private final RedisOptions options;
    private final String channel;
    private final Optional<Seal> seal;
    private final RedisLink link;

    /** Publishes on the channel {@value #CHANNEL}. */
    public RedisPubSubSink(RedisOptions options) {
        this(options, CHANNEL);
    }

    /** Publishes on this channel. */
    public RedisPubSubSink(RedisOptions options, String channel) {
        this.options = Checks.missing("redis options", options);
        this.channel = Checks.unlessName("redis channel", channel);
        this.seal = options.seal();
        this.link = new RedisLink(options, "postrider-pubsub", channel);
    }

    @Override
    public String describe() {
        return "redis channel " + channel + " at " + options.place();
    }

    @Override
    public SendResult send(RelayEpoch epoch, List<LogEvent> events) {
        List<String> messages = events.stream().map(this::message).toList();
        Replies<Long> replies = link.send(commands -> messages.stream()
                .<RedisFuture<Long>>map(message -> commands.publish(channel, message))
                .toList());
        Throwable error = replies.error();
        return error == null
                ? SendResult.whole()
                : SendResult.unavailable(replies.values().size(), error);
    }

    private String message(LogEvent event) {
        String envelope = Envelope.json(event);
        return seal.map(s -> s.seal(channel, envelope)).orElse(envelope);
    }

    /** Queues a message in a transaction and discards it: Redis makes all its checks, and no subscriber receives it. */
    @Override
    public String test() {
        Trial.run(link, commands -> commands.publish(channel, "test"));
        Map<String, Long> listening = link.ask(commands -> commands.pubsubNumsub(channel));
        return describe() + " takes messages; " + listening.getOrDefault(channel, 0L) + " listen to it";
    }

    @Override
    public void close() {
        link.close();
    }
}
