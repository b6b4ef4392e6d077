package io.postrider.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.redis.RedisLink.Replies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Publishes each event on a channel, by default as an {@link Envelope}.
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
    private final MessageFormat format;
    private final Optional<Seal> seal;
    private final RedisLink link;

    /** Publishes on the channel {@value #CHANNEL}. */
    public RedisPubSubSink(RedisOptions options) {
        this(options, CHANNEL);
    }

    /** Publishes on this channel. */
    public RedisPubSubSink(RedisOptions options, String channel) {
        this(options, channel, MessageFormat.CLOUD_EVENTS);
    }

    /**
     * Publishes on this channel in a format for subscribers that exist already. A message in a payload format has no position and is
     * never signed: a {@link RedisFeed} with the same format takes it as a hint to read the log.
     */
    public RedisPubSubSink(RedisOptions options, String channel, MessageFormat format) {
        this.format = Checks.missing("format", format);
        this.options = Checks.missing("redis options", options);
        this.channel = Checks.unlessName("redis channel", channel);
        this.seal = format == MessageFormat.CLOUD_EVENTS ? options.seal() : Optional.empty();
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

    /** The message in the relay's format, signed if the options have a channel secret. */
    @Override
    public String message(LogEvent event) {
        String message = format.text(event);
        return seal.map(s -> s.seal(channel, message)).orElse(message);
    }

    /** Listens to a channel for the time in the query: Redis keeps no messages. */
    @Override
    public boolean readPublished(PublishedQuery query, Consumer<PublishedMessage> messages)
            throws InterruptedException {
        String name = query.place() == null ? channel : Checks.unlessName("redis channel", query.place());
        BlockingQueue<String> heard = new LinkedBlockingQueue<>(query.most());
        try (RedisLink reader = new RedisLink(options, "postrider-reader", name);
                StatefulRedisPubSubConnection<String, String> connection = reader.listen()) {
            connection.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String from, String message) {
                    heard.offer(message);
                }
            });
            connection.sync().subscribe(name);
            long end = System.nanoTime() + query.listenFor().toNanos();
            while (System.nanoTime() - end < 0) {
                String message = heard.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (message != null) {
                    String content = seal.flatMap(s -> s.open(name, message)).orElse(message);
                    messages.accept(new PublishedMessage("", Map.of(), content));
                }
            }
        }
        return false;
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
