package io.postrider.redis;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.gateway.Feed;
import io.postrider.log.Log;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a gateway from the channel that a relay with a {@link RedisPubSubSink} publishes on, and makes it lossless: a hole in the
 * positions is filled from the log, and so is what was lost at the end of a burst, within a second. While Redis is away the log is
 * read instead, five times a second.
 *
 * <p><b>Whom it believes.</b> Whoever may publish on the channel can put a message there that looks like an event.
 * <ul>
 *   <li>Without a channel secret in the options, a message is a hint and nothing else: that there may be something at a
 *       position. What is handed over is always read from the log. That costs two short queries for each burst of messages (at 100
 *       messages/s no difference in latency was seen beside the other way); whoever makes messages up causes at most ten
 *       reads a second, and nothing of theirs is handed over.
 *   <li>With a channel secret (in the options of the relay and of the feed), a sealed message is taken as it is, without any query:
 *       the way for many gateways or many events. A message without the right seal is ignored. An old sealed message that
 *       somebody plays again is behind the position, and dropped.
 * </ul>
 *
 * The relay must carry the whole topic (no filter of types), with a concurrency of 1: else there are holes all the time, and each
 * costs a read. Safe to share.
 */
public final class RedisFeed implements Feed {
    private static final Logger logger = LoggerFactory.getLogger(RedisFeed.class);
    private static final long BETWEEN_WARNINGS = 10_000_000_000L;

    private final Log log;
    private final String channel;
    private final Optional<Seal> seal;
    private final Subscription subscription;
    private final Map<String, TopicFeed> topics = new ConcurrentHashMap<>();
    private final LongAdder repaired = new LongAdder();
    private final LongAdder ignored = new LongAdder();
    private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - BETWEEN_WARNINGS);

    /** Listens to the channel {@value RedisPubSubSink#CHANNEL}, and repairs from this log. */
    public RedisFeed(RedisOptions options, Log log) {
        this(options, log, RedisPubSubSink.CHANNEL);
    }

    /** Listens to a channel, and repairs from this log. */
    public RedisFeed(RedisOptions options, Log log, String channel) {
        this.log = Checks.missing("log", log);
        this.channel = Checks.unlessName("redis channel", channel);
        this.seal = Checks.missing("redis options", options).seal();
        this.subscription = new Subscription(options, channel, this::heard, listening -> nudge());
        subscription.start();
    }

    @Override
    public void follow(String topic, int recent, Receiver receiver) {
        TopicFeed.Order order = new TopicFeed.Order(topic, recent, receiver);
        TopicFeed feed = new TopicFeed(log, order, subscription::isListening, repaired);
        if (topics.putIfAbsent(topic, feed) != null) {
            throw PostriderException.refused("topic " + topic + " is followed already");
        }
        feed.start();
    }

    @Override
    public long head(String topic) {
        return log.head(topic);
    }

    /** Whether the channel is listened to now. If not, the log is read, and events come up to 200 ms later. */
    public boolean isListening() {
        return subscription.isListening();
    }

    /** How many events were read from the log: without a secret all, with one those that no message brought. */
    public long repaired() {
        return repaired.sum();
    }

    /** How many messages were no events, or not sealed as they must be. */
    public long ignored() {
        return ignored.sum();
    }

    /** What was published while nobody listened is missing now: look at once. */
    private void nudge() {
        topics.values().forEach(feed -> feed.inbox().nudge());
    }

    private void heard(String message) {
        Optional<LogEvent> event = opened(message).flatMap(EnvelopeText::read);
        if (event.isEmpty()) {
            ignore(message.length());
            return;
        }
        TopicFeed feed = topics.get(event.get().topic());
        if (feed == null) {
            return; // of a topic that nobody here follows
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
                    "redis_feed_ignored channel={} characters={} so_far={} a message was no event{}: somebody else publishes here,"
                            + " or the relay has another channel secret",
                    channel,
                    length,
                    ignored.sum(),
                    seal.isPresent() ? " with our seal" : "");
        }
    }

    @Override
    public void close() {
        subscription.close();
        topics.values().forEach(TopicFeed::close);
    }
}
