package io.postrider.redis;

import io.lettuce.core.RedisFuture;
import io.postrider.Course;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.Receipt;
import io.postrider.Sink;
import io.postrider.redis.RedisLink.Replies;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Publishes each event as an {@link Envelope} on a channel.
 *
 * <p>Redis hands a message to whoever listens in that moment and forgets it: nobody listening, a cut connection or a listener
 * that is slow (32 MiB behind, or 8 MiB for 60 s) means that it is lost there, and no receipt can tell. So a message is a hint with
 * a position in it, and who listens repairs what is missing from the log, as {@link RedisFeed} does. One relay, one connection:
 * messages are published in the order of the log. With a channel secret in the options they are sealed.
 *
 * <p>Redis never refuses one event: whatever error it answers with (no permission, a replica, loading) holds for all of them, so
 * it is always the sink that is unavailable. Safe to share.
 */
public final class RedisPubSubSink implements Sink {
    /** The channel that is used unless another one is named. */
    public static final String CHANNEL = "new_message_channel";

    private final RedisOptions options;
    private final String channel;
    private final Optional<Seal> seal;
    private final RedisLink link;

    /** On the channel {@value #CHANNEL}. */
    public RedisPubSubSink(RedisOptions options) {
        this(options, CHANNEL);
    }

    /** On a channel. */
    public RedisPubSubSink(RedisOptions options, String channel) {
        this.options = Checks.missing("redis options", options);
        this.channel = Checks.unlessName("redis channel", channel);
        this.seal = options.seal();
        this.link = new RedisLink(options, "postrider-pubsub");
    }

    @Override
    public String describe() {
        return "redis channel " + channel + " at " + options.place();
    }

    @Override
    public Receipt send(Course course, List<LogEvent> events) {
        List<String> messages = events.stream().map(this::message).toList();
        Replies<Long> replies = link.send(commands -> messages.stream()
                .<RedisFuture<Long>>map(message -> commands.publish(channel, message))
                .toList());
        Throwable error = replies.error();
        return error == null
                ? Receipt.whole()
                : Receipt.unavailable(replies.values().size(), error);
    }

    private String message(LogEvent event) {
        String envelope = Envelope.json(event);
        return seal.map(s -> s.seal(channel, envelope)).orElse(envelope);
    }

    /** Queues a message in a transaction and discards it: all that Redis checks is checked, and nobody hears it. */
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
