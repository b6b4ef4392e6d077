package io.postrider.gateway.internal.hub;

import io.postrider.PostriderException;
import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Feed;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.GatewayWatch;
import io.postrider.gateway.History;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Transport;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.frames.FrameEncoder;
import io.postrider.gateway.internal.hub.Subscriber.State;
import io.postrider.gateway.internal.limits.ConnectionLimits;
import io.postrider.gateway.internal.limits.HistoryMemory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hub behind {@link io.postrider.gateway.Hub}. The hub thread owns all state and never blocks: it puts frames into outboxes,
 * writer threads write them to the sockets, and reader threads query the read model. Other threads send it commands. Safe to
 * share.
 */
public final class HubCore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HubCore.class);
    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** Containers close a socket that accepts nothing after 20 s, without blocking a thread; they get the time to do so. */
    private static final Duration ABORT_GRACE = Duration.ofSeconds(30);

    private final GatewayOptions options;
    private final GatewayWatch watch;
    private final Feed feed;
    private final Map<String, TopicRooms> topics = new TreeMap<>();
    private final HubThread thread = new HubThread("postrider-hub", TICK, this::checkSubscribers);
    private final ExecutorService writers;
    private final ExecutorService readers;
    private final ReadQueue reads;
    private final ExecutorService enders = Threads.pool("postrider-gateway-ender", 4);
    private final ConnectionLimits limits;
    private final HistoryMemory historyMemory =
            new HistoryMemory(Runtime.getRuntime().maxMemory() / 8);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closing;

    /** Hub thread only: subscribers that were closed and whose transport is still open. */
    private final Set<Subscriber> ending = new LinkedHashSet<>();

    private final LivenessCheck livenessCheck = new LivenessCheck(this);

    private HubCore(Feed feed, History history, GatewayOptions options) {
        this.options = options;
        this.watch = SafeWatch.of(options.watch());
        this.feed = feed;
        this.writers = Threads.pool("postrider-gateway-writer", options.writers());
        this.readers = Threads.pool("postrider-gateway-reader", options.readers());
        this.reads = new ReadQueue(readers, options.readers());
        this.limits = new ConnectionLimits(options.connections(), options.connectionsOfOne());
        options.topics().forEach(topic -> topics.put(topic, new TopicRooms(topic, this, history, feed)));
    }

    /** Starts to follow the topics. The hub owns the feed from now on and closes it. */
    public static HubCore open(Feed feed, History history, GatewayOptions options) {
        HubCore hub = new HubCore(feed, history, options);
        log.info("hub_opened {}", options);
        hub.thread.start();
        hub.topics.forEach(
                (topic, topicRooms) -> feed.follow(topic, options.recentEvents(), new FeedReceiver(hub, topicRooms)));
        return hub;
    }

    /** Whether the feed of every topic has started. Before that, connections are refused. */
    public boolean isReady() {
        return !closing && topics.values().stream().allMatch(topicRooms -> topicRooms.toldReached() >= 0);
    }

    /** The position that a topic has reached here; -1 if its feed has not started or this hub does not serve it. */
    public long reached(String topic) {
        TopicRooms topicRooms = topics.get(topic);
        return topicRooms == null ? -1 : topicRooms.toldReached();
    }

    /** The number of open connections. */
    public int connections() {
        return limits.taken();
    }

    /** Ends the streams of these subjects and asks them to reconnect. Returns their number. */
    public int cut(Set<String> subjects) {
        CompletableFuture<Integer> count = new CompletableFuture<>();
        tell(() -> {
            List<Subscriber> theirs = open().stream()
                    .filter(subscriber -> subjects.contains(subscriber.identity.subject()))
                    .toList();
            theirs.forEach(subscriber -> end(subscriber, DisconnectReason.CLOSING));
            count.complete(theirs.size());
        });
        return count.completeOnTimeout(0, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Asks all clients to reconnect elsewhere, with their resume positions, and stops. */
    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        feed.close();
        tell(() -> {
            open().forEach(subscriber -> end(subscriber, DisconnectReason.CLOSING));
            signalIfEmpty();
            later(CLOSE_TIMEOUT, ended::countDown);
        });
        try {
            ended.await(CLOSE_TIMEOUT.toMillis() * 2, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.stop();
        List.of(writers, readers, enders).forEach(ExecutorService::shutdown);
        log.info("hub_closed");
    }

    // ── commands of other threads ──────────────────────────────────────────────────────────────────────

    /** Adds a connection that was admitted. */
    public Subscriber join(Admission entry, ConnectionLimits.Slot slot, Transport transport) {
        TopicRooms topicRooms = topicRooms(entry.topic());
        Subscriber subscriber = new Subscriber(this, entry, transport, slot);
        watch.opened(entry.topic(), transport.form());
        tell(subscriber, () -> {
            if (closing) {
                topicRooms.enter(subscriber);
                end(subscriber, DisconnectReason.CLOSING);
            } else {
                topicRooms.join(subscriber);
            }
        });
        return subscriber;
    }

    public void renew(Subscriber subscriber, Identity identity) {
        tell(subscriber, () -> {
            if (subscriber.isOpen()) {
                subscriber.identity = identity;
            }
        });
        long expires = identity.expires().getEpochSecond();
        answer(subscriber, position -> FrameEncoder.token(subscriber.form(), position, expires));
    }

    /** Sends a frame that answers one of the client's. */
    public void answer(Subscriber subscriber, LongFunction<EncodedFrame> frame) {
        tell(subscriber, () -> {
            if (subscriber.isOpen()) {
                long position = topicRooms(subscriber.topic()).position(subscriber);
                if (!subscriber.offer(frame.apply(position))) {
                    end(subscriber, DisconnectReason.SLOW);
                }
            }
        });
    }

    void refill(Subscriber subscriber) {
        tell(subscriber, () -> topicRooms(subscriber.topic()).refill(subscriber));
    }

    void cut(Subscriber subscriber, DisconnectReason reason) {
        tell(() -> end(subscriber, reason));
    }

    void gone(Subscriber subscriber) {
        tell(() -> {
            if (subscriber.isOpen()) {
                topicRooms(subscriber.topic()).leave(subscriber);
            }
            if (subscriber.state != State.GONE) {
                subscriber.state = State.GONE;
                ending.remove(subscriber);
                watch.closed(subscriber.topic(), subscriber.form(), subscriber.reason);
                signalIfEmpty();
            }
        });
    }

    /** Checks the streams of an identity, because a new one was refused for too many connections. */
    public void checkLiveness(Identity identity) {
        tell(() -> livenessCheck.call(ConnectionLimits.Owner.of(identity)));
    }

    void tell(Runnable command) {
        thread.tell(command);
    }

    /** Hub thread only. */
    void later(Duration after, Runnable command) {
        thread.later(after, command);
    }

    /** An exception of the command closes only this subscriber. */
    void tell(Subscriber subscriber, Runnable command) {
        tell(() -> {
            try {
                command.run();
            } catch (RuntimeException | Error e) {
                log.error("subscriber_failed topic={}", subscriber.topic(), e);
                end(subscriber, DisconnectReason.BEHIND);
            }
        });
    }

    boolean isClosing() {
        return closing;
    }

    public GatewayOptions options() {
        return options;
    }

    public GatewayWatch watch() {
        return watch;
    }

    public ConnectionLimits limits() {
        return limits;
    }

    public HistoryMemory historyMemory() {
        return historyMemory;
    }

    Executor writers() {
        return writers;
    }

    ReadQueue reads() {
        return reads;
    }

    private TopicRooms topicRooms(String topic) {
        TopicRooms topicRooms = topics.get(topic);
        if (topicRooms == null) {
            throw new PostriderException(PostriderException.Kind.NOT_FOUND, "there is no topic " + topic);
        }
        return topicRooms;
    }

    // ── the hub thread ────────────────────────────────────────────────────────────────────────────────────────────

    private void checkSubscribers() {
        long now = System.nanoTime();
        Instant time = options.clock().instant();
        for (Subscriber subscriber : open()) {
            String tokenId = subscriber.identity.tokenId();
            if (!time.isBefore(subscriber.identity.expires())) {
                end(subscriber, DisconnectReason.EXPIRED);
            } else if (tokenId != null && options.revocations().isRevoked(tokenId)) {
                end(subscriber, DisconnectReason.REVOKED);
            } else if (subscriber.outbox().waitingNanos(now)
                    > options.sendTimeout().toNanos()) {
                end(subscriber, DisconnectReason.SLOW);
            } else if (now - subscriber.lastFrame >= options.heartbeat().toNanos() && subscriber.welcomed) {
                beat(subscriber);
            }
        }
        abortLate(now);
    }

    void beat(Subscriber subscriber) {
        long position = topicRooms(subscriber.topic()).position(subscriber);
        if (!subscriber.astray && !subscriber.offer(FrameEncoder.position(subscriber.form(), position))) {
            end(subscriber, DisconnectReason.SLOW);
        }
    }

    List<Subscriber> open() {
        List<Subscriber> open = new ArrayList<>();
        topics.values().forEach(topicRooms -> open.addAll(topicRooms.all()));
        return open;
    }

    /** Removes it from its rooms at once; the cut frame is its last frame. */
    void end(Subscriber subscriber, DisconnectReason reason) {
        if (!subscriber.isOpen()) {
            return;
        }
        TopicRooms topicRooms = topicRooms(subscriber.topic());
        long position = topicRooms.position(subscriber);
        topicRooms.leave(subscriber);
        subscriber.state = State.CUT;
        subscriber.reason = reason;
        subscriber.cutAt = System.nanoTime();
        Outbox outbox = subscriber.outbox();
        if (subscriber.astray ? outbox.cutAstray(reason) : outbox.cut(reason, position)) {
            ending.add(subscriber);
            subscriber.writable();
        }
    }

    /** Aborts connections that did not accept their cut frame in time. */
    private void abortLate(long now) {
        for (Subscriber subscriber : List.copyOf(ending)) {
            if (now - subscriber.cutAt > options.sendTimeout().plus(ABORT_GRACE).toNanos()) {
                ending.remove(subscriber);
                enders.execute(() -> {
                    subscriber.transport().abort();
                    subscriber.gone();
                });
            }
        }
    }

    private void signalIfEmpty() {
        if (closing && ending.isEmpty() && open().isEmpty()) {
            ended.countDown();
        }
    }
}
