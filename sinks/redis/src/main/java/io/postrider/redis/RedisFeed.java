package io.postrider.redis;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import io.postrider.admin.Log;
import io.postrider.gateway.Feed;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a gateway from the channel of a relay with a {@link RedisPubSubSink}, without losing events: a gap in the positions is
 * filled from the log, and so are messages lost at the end of a burst, within a second. While Redis is unavailable, the log is
 * polled five times a second.
 *
 * <p><b>Trust.</b> Anyone who may publish on the channel can forge a message that looks like an event.
 * <ul>
 *   <li>Without a channel secret in the options, a message is only a hint that there may be an event at a position. Delivered
 *       events are always read from the log. That costs two short queries per burst of messages (at 100 messages/s, the latency
 *       was the same as with a secret). Forged messages cause at most ten reads a second, and their content is never delivered.
 *   <li>With a channel secret (in the options of the relay and of the feed), a signed message is delivered without any query,
 *       which suits many gateways or many events. A message without a valid signature is ignored. A replayed old message is
 *       behind the position and dropped.
 * </ul>
 *
 * The relay must carry the whole topic (no type filter) with a concurrency of 1: otherwise there are gaps all the time, and each
 * costs a read. Safe to share.
 */
public final class RedisFeed implements Feed {
    private static final Logger logger = LoggerFactory.getLogger(RedisFeed.class);
    private static final long BETWEEN_WARNINGS = 10_000_000_000L;

    private final Log log;
    private final String channel;
    private final MessageFormat format;
    private final Optional<Seal> seal;
    private final Subscription subscription;
    private final Map<String, TopicFeed> topics = new ConcurrentHashMap<>();
    private final LongAdder repaired = new LongAdder();
    private final LongAdder ignored = new LongAdder();
    private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - BETWEEN_WARNINGS);

    /** Subscribes to the channel {@value RedisPubSubSink#CHANNEL} and fills gaps from this log. */
    public RedisFeed(RedisOptions options, Log log) {
        this(options, log, RedisPubSubSink.CHANNEL);
    }

    /** Subscribes to this channel and fills gaps from this log. */
    public RedisFeed(RedisOptions options, Log log, String channel) {
        this(options, log, channel, MessageFormat.CLOUD_EVENTS);
    }

    /**
     * Subscribes to a channel whose relay publishes in this format. A message in a payload format has neither topic nor position: it is
     * a hint that some followed topic has grown, and each of them reads the log. A topic whose last six reads found nothing rests
     * 100 ms after each further one, so several busy topics should not share such a channel. A channel secret has no effect.
     */
    public RedisFeed(RedisOptions options, Log log, String channel, MessageFormat format) {
        this.format = Checks.missing("format", format);
        this.log = Checks.missing("log", log);
        this.channel = Checks.unlessName("redis channel", channel);
        Optional<Seal> given = Checks.missing("redis options", options).seal();
        this.seal = format == MessageFormat.CLOUD_EVENTS ? given : Optional.empty();
        this.subscription = new Subscription(options, channel, this::heard, listening -> nudge());
        subscription.start();
    }

    @Override
    public void follow(String topic, int recent, Receiver receiver) {
        TopicFeed.Order order = new TopicFeed.Order(topic, recent, receiver);
        TopicFeed feed = new TopicFeed(log, order, subscription::isListening, repaired);
        if (topics.putIfAbsent(topic, feed) != null) {
            throw PostriderException.refused("topic " + topic + " is already followed");
        }
        feed.start();
    }

    @Override
    public long head(String topic) {
        return log.head(topic);
    }

    /** Whether it is subscribed to the channel. If not, the log is polled, and events arrive up to 200 ms later. */
    public boolean isListening() {
        return subscription.isListening();
    }

    /**
     * The number of events read from the log. Without a secret these are all events; with a secret, only those for which no
     * message arrived.
     */
    public long repaired() {
        return repaired.sum();
    }

    /** The number of messages that were not events, or not signed correctly. */
    public long ignored() {
        return ignored.sum();
    }

    /** Messages that were published while not subscribed are lost, so the log is read at once. */
    private void nudge() {
        topics.values().forEach(feed -> feed.inbox().nudge());
    }

    private void heard(String message) {
        if (format != MessageFormat.CLOUD_EVENTS) {
            topics.values().forEach(feed -> feed.inbox().hint(Inbox.ANYWHERE));
            return;
        }
        Optional<LogEvent> event = opened(message).flatMap(EnvelopeText::read);
        if (event.isEmpty()) {
            ignore(message.length());
            return;
        }
        TopicFeed feed = topics.get(event.get().topic());
        if (feed == null) {
            return; // a topic that is not followed here
        }
        if (seal.isPresent()) {
            feed.inbox().put(event.get());
        } else {
            feed.inbox().hint(event.get().position());
        }
    }

    private Optional<String> opened(String message) {
        return seal.isPresent() ? seal.get().open(channel, message) : Optional.of(message);
    }

    private void ignore(int length) {
        ignored.increment();
        long last = lastWarning.get();
        long now = System.nanoTime();
        if (now - last >= BETWEEN_WARNINGS && lastWarning.compareAndSet(last, now)) {
            logger.warn(
                    "redis_feed_ignored channel={} characters={} so_far={} a message is not an event{}: another program"
                            + " publishes here, or the relay has another channel secret",
                    channel,
                    length,
                    ignored.sum(),
                    seal.isPresent() ? " with a valid seal" : "");
        }
    }

    @Override
    public void close() {
        subscription.close();
        topics.values().forEach(TopicFeed::close);
    }
}
