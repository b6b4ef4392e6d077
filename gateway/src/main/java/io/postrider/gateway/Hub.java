package io.postrider.gateway;

import io.postrider.PostriderException;
import io.postrider.gateway.Subscriber.State;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands each event of its topics to those who may hear it. One thread owns everything there is to know: who is in which room,
 * what was recent, how far each topic is. Everybody else leaves it a command; so there is no lock to be held across a delivery,
 * and nobody who reconnects can freeze the rest. That thread never blocks: it puts frames into outboxes. Writers write them,
 * readers ask the read model. Safe to share.
 */
public final class Hub implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Hub.class);
    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    /** Containers give up a socket that takes nothing after 20 s by themselves, and without keeping a thread: let them. */
    private static final Duration MERCY = Duration.ofSeconds(30);

    private final GatewayOptions options;
    private final GatewayWatch watch;
    private final Feed feed;
    private final Map<String, Desk> desks = new TreeMap<>();
    private final Turns turns = new Turns("postrider-hub", TICK, this::goRound);
    private final ExecutorService writers;
    private final ExecutorService readers;
    private final ExecutorService enders = Threads.pool("postrider-gateway-ender", 4);
    private final Places places;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closing;

    /** The hub thread's: those who were cut and have not gone. */
    private final Set<Subscriber> ending = new LinkedHashSet<>();

    private final RollCall rollCall = new RollCall(this);

    private Hub(Feed feed, History history, GatewayOptions options) {
        this.options = options;
        this.watch = GuardedWatch.of(options.watch());
        this.feed = feed;
        this.writers = Threads.pool("postrider-gateway-writer", options.writers());
        this.readers = Threads.pool("postrider-gateway-reader", options.readers());
        this.places = new Places(options.connections(), options.connectionsOfOne());
        options.topics().forEach(topic -> desks.put(topic, new Desk(topic, this, history, feed)));
    }

    /** Begins to follow the topics. The feed is the hub's from now on, and is closed with it. */
    public static Hub open(Feed feed, History history, GatewayOptions options) {
        Hub hub = new Hub(feed, history, options);
        log.info("hub_opened {}", options);
        hub.turns.start();
        hub.desks.forEach((topic, desk) -> feed.follow(topic, options.recentEvents(), new Intake(hub, desk)));
        return hub;
    }

    /** Whether every topic's feed has begun. Before that nobody is let in. */
    public boolean isReady() {
        return !closing && desks.values().stream().allMatch(desk -> desk.toldReached() >= 0);
    }

    /** How far a topic is here; -1 if it has not begun, or is none of this hub's. */
    public long reached(String topic) {
        Desk desk = desks.get(topic);
        return desk == null ? -1 : desk.toldReached();
    }

    /** How many connections there are now. */
    public int connections() {
        return places.taken();
    }

    /** Ends the streams of these subjects, who are told to come back at once: to try what becomes of them. Gives how many. */
    public int cut(Set<String> subjects) {
        CompletableFuture<Integer> count = new CompletableFuture<>();
        tell(() -> {
            List<Subscriber> theirs = open().stream()
                    .filter(subscriber -> subjects.contains(subscriber.identity.subject()))
                    .toList();
            theirs.forEach(subscriber -> end(subscriber, Cut.CLOSING));
            count.complete(theirs.size());
        });
        return count.completeOnTimeout(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Tells everybody to come back elsewhere, with their resume positions, and ends. */
    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        feed.close();
        tell(() -> {
            open().forEach(subscriber -> end(subscriber, Cut.CLOSING));
            noticeEnd();
            later(FAREWELL, ended::countDown);
        });
        try {
            ended.await(FAREWELL.toMillis() * 2, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        turns.stop();
        List.of(writers, readers, enders).forEach(ExecutorService::shutdown);
        log.info("hub_closed");
    }

    // ── what others leave for the hub's thread ──────────────────────────────────────────────────────────────────────

    /** Somebody who was let in. */
    Subscriber join(Entry entry, Places.Seat seat, Transport transport) {
        Desk desk = desk(entry.topic());
        Subscriber subscriber = new Subscriber(this, entry, transport, seat);
        watch.opened(entry.topic(), transport.form());
        tell(subscriber, () -> {
            if (closing) {
                desk.enter(subscriber);
                end(subscriber, Cut.CLOSING);
            } else {
                desk.join(subscriber);
            }
        });
        return subscriber;
    }

    void renew(Subscriber subscriber, Identity identity) {
        tell(subscriber, () -> {
            if (subscriber.isOpen()) {
                subscriber.identity = identity;
                long position = desk(subscriber.topic()).position(subscriber);
                long expires = identity.expires().getEpochSecond();
                if (!subscriber.offer(Frames.token(subscriber.form(), position, expires))) {
                    end(subscriber, Cut.SLOW);
                }
            }
        });
    }

    void refill(Subscriber subscriber) {
        tell(subscriber, () -> desk(subscriber.topic()).refill(subscriber));
    }

    void cut(Subscriber subscriber, Cut reason) {
        tell(() -> end(subscriber, reason));
    }

    void gone(Subscriber subscriber) {
        tell(() -> {
            if (subscriber.isOpen()) {
                desk(subscriber.topic()).leave(subscriber);
            }
            if (subscriber.state != State.GONE) {
                subscriber.state = State.GONE;
                ending.remove(subscriber);
                watch.closed(subscriber.topic(), subscriber.form(), subscriber.reason);
                noticeEnd();
            }
        });
    }

    /** Somebody was refused, because others of theirs have all their places. */
    void callRoll(Identity identity) {
        tell(() -> rollCall.call(Places.Owner.of(identity)));
    }

    void tell(Runnable command) {
        turns.tell(command);
    }

    /** By the hub's thread only. */
    void later(Duration after, Runnable command) {
        turns.later(after, command);
    }

    /** What goes wrong with it is this subscriber's alone. */
    void tell(Subscriber subscriber, Runnable command) {
        tell(() -> {
            try {
                command.run();
            } catch (RuntimeException | Error e) {
                log.error("subscriber_failed topic={}", subscriber.topic(), e);
                end(subscriber, Cut.BEHIND);
            }
        });
    }

    boolean isClosing() {
        return closing;
    }

    GatewayOptions options() {
        return options;
    }

    GatewayWatch watch() {
        return watch;
    }

    Places places() {
        return places;
    }

    Executor writers() {
        return writers;
    }

    Executor readers() {
        return readers;
    }

    private Desk desk(String topic) {
        Desk desk = desks.get(topic);
        if (desk == null) {
            throw new PostriderException(PostriderException.Kind.NOT_FOUND, "there is no topic " + topic);
        }
        return desk;
    }

    // ── the hub's thread ────────────────────────────────────────────────────────────────────────────────────────────

    private void goRound() {
        long now = System.nanoTime();
        Instant time = options.clock().instant();
        for (Subscriber subscriber : open()) {
            String tokenId = subscriber.identity.tokenId();
            if (!time.isBefore(subscriber.identity.expires())) {
                end(subscriber, Cut.EXPIRED);
            } else if (tokenId != null && options.revocations().isRevoked(tokenId)) {
                end(subscriber, Cut.REVOKED);
            } else if (subscriber.outbox().waitingNanos(now)
                    > options.sendTimeout().toNanos()) {
                end(subscriber, Cut.SLOW);
            } else if (now - subscriber.lastFrame >= options.heartbeat().toNanos() && subscriber.welcomed) {
                beat(subscriber);
            }
        }
        abortLate(now);
    }

    void beat(Subscriber subscriber) {
        long position = desk(subscriber.topic()).position(subscriber);
        if (!subscriber.astray && !subscriber.offer(Frames.position(subscriber.form(), position))) {
            end(subscriber, Cut.SLOW);
        }
    }

    List<Subscriber> open() {
        List<Subscriber> open = new ArrayList<>();
        desks.values().forEach(desk -> open.addAll(desk.all()));
        return open;
    }

    /** Takes it out of its rooms at once; the cut frame is the last that it gets. */
    void end(Subscriber subscriber, Cut reason) {
        if (!subscriber.isOpen()) {
            return;
        }
        Desk desk = desk(subscriber.topic());
        long position = desk.position(subscriber);
        desk.leave(subscriber);
        subscriber.state = State.CUT;
        subscriber.reason = reason;
        subscriber.cutAt = System.nanoTime();
        Outbox outbox = subscriber.outbox();
        if (subscriber.astray ? outbox.cutAstray(reason) : outbox.cut(reason, position)) {
            ending.add(subscriber);
            subscriber.writable();
        }
    }

    /** It has not taken even its cut frame. */
    private void abortLate(long now) {
        for (Subscriber subscriber : List.copyOf(ending)) {
            if (now - subscriber.cutAt > options.sendTimeout().plus(MERCY).toNanos()) {
                ending.remove(subscriber);
                enders.execute(() -> {
                    subscriber.transport().abort();
                    subscriber.gone();
                });
            }
        }
    }

    private void noticeEnd() {
        if (closing && ending.isEmpty() && open().isEmpty()) {
            ended.countDown();
        }
    }
}
