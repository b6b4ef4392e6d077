package io.postrider.gateway;

import io.postrider.gateway.internal.SafeNames;
import io.postrider.gateway.internal.frames.FrameEncoder;
import io.postrider.gateway.internal.hub.Admission;
import io.postrider.gateway.internal.hub.HubCore;
import io.postrider.gateway.internal.hub.Subscriber;
import io.postrider.gateway.internal.hub.Threads;
import io.postrider.gateway.internal.inbound.InboundMessages;
import io.postrider.gateway.internal.limits.ConnectRateLimit;
import io.postrider.gateway.internal.limits.ConnectionLimits;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates and authorizes connections to a hub, for SSE and WebSocket alike. The transport adapters use this class. Safe
 * to share.
 */
public final class Gateway implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(2);

    /** The interval of the check for connections without a hello, unless the hello timeout is short. */
    private static final long SWEEP_MILLIS = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Gateway.class);

    private final Tokens tokens;
    private final Hub hub;
    private final HubCore core;
    private final GatewayOptions options;
    private final ConnectRateLimit connectRate;
    private final @Nullable InboundMessages inbound;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Threads.named("postrider-gateway-clock"));

    private Gateway(Tokens tokens, Hub hub) {
        this.tokens = tokens;
        this.hub = hub;
        this.core = hub.core();
        this.options = core.options();
        this.connectRate = new ConnectRateLimit(options.connectionsOfOne(), System::nanoTime);
        Inbound application = options.inbound();
        this.inbound = application == null ? null : new InboundMessages(application, options, this::refuseEnded);
        long sweep = Math.max(10, Math.min(SWEEP_MILLIS, options.helloTimeout().toMillis() / 10));
        ScheduledFuture<?> unused =
                clock.scheduleWithFixedDelay(this::expireSilent, sweep, sweep, TimeUnit.MILLISECONDS);
    }

    /**
     * One task for all connections. A timer per connection kept its objects alive until it fired: sockets that were opened and
     * closed at once exhausted the heap.
     */
    private void expireSilent() {
        try {
            int lost = core.limits().expire(options.helloTimeout());
            if (lost > 0) {
                log.warn("upgrades_lost places={}", lost);
                core.watch().upgradesLost(lost);
            }
        } catch (RuntimeException e) {
            log.error("expiry_failed", e);
        }
    }

    /** A gateway that verifies these tokens. It owns the hub from now on and closes it. */
    public static Gateway of(Tokens tokens, Hub hub) {
        return new Gateway(tokens, hub);
    }

    public Hub hub() {
        return hub;
    }

    public GatewayOptions options() {
        return options;
    }

    /** The request of a client, not yet verified. */
    public record Wish(
            @Nullable String token,
            @Nullable String topic,
            List<String> rooms,
            @Nullable Long position) {
        /** Omits the token. */
        @Override
        public String toString() {
            return "topic=" + topic + " rooms=" + rooms + " position=" + position;
        }
    }

    /** Refuses a request from an origin that is not allowed, with 403. */
    public void refuseForeign(@Nullable String origin, @Nullable String host, boolean secure) {
        if (!options.origins().allows(origin, host, secure)) {
            throw Refusal.forbidden("pages from '" + SafeNames.shown(origin)
                    + "' may not connect; add the origin to the gateway's allow-list if they should");
        }
    }

    /** Reserves a connection slot; refused with 503 if the gateway is not ready. The transport must call {@link Visit#leave}. */
    public Visit arrive() {
        if (!hub.isReady()) {
            throw Refusal.unavailable("the gateway is not ready yet, or closing; try again in a moment", SOON);
        }
        return new Visit(core.limits().take());
    }

    /** Runs a task on the timer thread, which must not block. */
    public void soon(Runnable task) {
        try {
            clock.execute(task);
        } catch (RejectedExecutionException e) {
            // the gateway is closed, and all connections with it
        }
    }

    /** Reports a refused request to the metrics. */
    public void refused(int status) {
        core.watch().refused(status);
    }

    /** A connection that is being established. Used by one thread at a time, but any thread may call {@link #leave}. */
    public final class Visit {
        private final ConnectionLimits.Slot slot;
        private volatile @Nullable Subscriber subscriber;
        private boolean left; // guarded by this
        private @Nullable Admission entry;
        private volatile @Nullable Identity identity;
        private InboundMessages.@Nullable Line messages;

        private Visit(ConnectionLimits.Slot slot) {
            this.slot = slot;
        }

        /**
         * Waits for the client's first message.
         *
         * @param makeRoom closes the connection because too many others are waiting
         * @param expire closes the connection because the message did not arrive in time
         */
        public void awaitHello(Runnable makeRoom, Runnable expire) {
            slot.await(new ConnectionLimits.Waiter() {
                @Override
                public void makeRoom() {
                    soon(makeRoom);
                }

                @Override
                public void expire() {
                    expire.run();
                }
            });
        }

        /** Verifies the token and checks the request against it. The stream is not started yet. */
        public void admit(Wish wish) {
            entry = Gateway.this.admit(wish);
            ConnectionLimits.Owner owner = ConnectionLimits.Owner.of(entry.identity());
            connectRate.take(owner);
            try {
                slot.name(entry.identity());
            } catch (Refusal full) {
                connectRate.giveBack(owner);
                core.checkLiveness(entry.identity());
                throw full;
            }
        }

        /** Starts the stream. It ends at once if the connection has been closed in the meantime. */
        public FrameSource join(Transport transport) {
            if (entry == null) {
                throw new IllegalStateException("join() without admit()");
            }
            Subscriber joined = core.join(entry, slot, transport);
            identity = entry.identity();
            boolean gone;
            synchronized (this) {
                subscriber = joined;
                messages = inbound == null ? null : inbound.open(new Answering(joined));
                gone = left;
            }
            if (gone) {
                leave();
            }
            return joined;
        }

        /** Replaces the token of the open stream; it must have the same subject and project, and cover all rooms. */
        public void renew(@Nullable String token) {
            Subscriber joined = subscriber;
            if (joined == null || entry == null) {
                throw Refusal.badRequest("the first frame must be a hello");
            }
            Identity renewed = verified(token);
            if (!renewed.subject().equals(entry.identity().subject())) {
                throw Refusal.forbidden("the new token has another subject; open another connection for it");
            }
            if (!Objects.equals(renewed.project(), entry.identity().project())) {
                throw Refusal.forbidden("the new token has another project; open another connection for it");
            }
            refuseOthers(renewed, entry.rooms());
            identity = renewed;
            core.renew(joined, renewed);
        }

        /**
         * Passes a message of the client to the application, see {@link GatewayOptions#withInbound}. The result is a frame of the
         * open stream. Does not block.
         *
         * @param data a JSON object
         */
        public void send(String id, String data) {
            Subscriber joined = subscriber;
            Identity sender = identity;
            if (joined == null || entry == null || sender == null) {
                throw Refusal.badRequest("say hello first");
            }
            InboundMessages.Line line = messages;
            if (line == null) {
                new Answering(joined).refused(id, Refusal.notFound("this gateway accepts no messages from clients"));
            } else {
                line.add(new Inbound.Message(sender, entry.topic(), id, data));
            }
        }

        /** Releases the slot, whether or not the stream was started. */
        public void leave() {
            Subscriber joined;
            InboundMessages.Line line;
            synchronized (this) {
                left = true;
                joined = subscriber;
                line = messages;
            }
            if (line != null) {
                line.close();
            }
            if (joined == null) {
                slot.leave();
            } else {
                joined.gone();
            }
        }
    }

    /** Sends the results of a connection's messages over its stream. */
    private final class Answering implements InboundMessages.Answers {
        private final Subscriber subscriber;

        Answering(Subscriber subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void accepted(String id, @Nullable String data) {
            core.answer(subscriber, position -> FrameEncoder.ack(subscriber.form(), position, id, data));
        }

        @Override
        public void refused(String id, Refusal refusal) {
            Gateway.this.refused(refusal.status());
            core.answer(subscriber, position -> FrameEncoder.nack(subscriber.form(), position, id, refusal));
        }
    }

    private Admission admit(Wish wish) {
        Identity identity = verified(wish.token());
        String topic = wish.topic();
        if (topic == null || topic.isEmpty()) {
            throw Refusal.badRequest("topic must be given");
        }
        if (!options.topics().contains(topic)) {
            throw Refusal.notFound("there is no topic '" + SafeNames.shown(topic) + "' at this gateway");
        }
        Set<Room> rooms = rooms(wish.rooms());
        refuseOthers(identity, rooms);
        if (wish.position() != null && wish.position() < 0) {
            throw Refusal.badRequest("position must not be below 0, was " + wish.position());
        }
        return new Admission(identity, topic, rooms, wish.position());
    }

    /** A stream ends at exp, so none starts after it, regardless of clock skew. */
    private Identity verified(@Nullable String token) {
        if (token == null || token.isEmpty()) {
            throw Refusal.unauthorized("a token is needed");
        }
        Identity identity = tokens.verify(token);
        refuseEnded(identity);
        return identity;
    }

    private void refuseEnded(Identity identity) {
        if (!options.clock().instant().isBefore(identity.expires())) {
            throw Refusal.unauthorized("the token has expired; get a new one");
        }
        if (identity.tokenId() != null && options.revocations().isRevoked(identity.tokenId())) {
            throw Refusal.unauthorized("the token was revoked; get a new one");
        }
    }

    private Set<Room> rooms(List<String> names) {
        if (names.isEmpty() || names.size() > options.rooms()) {
            throw Refusal.badRequest("the number of rooms must be 1.." + options.rooms() + ", was " + names.size());
        }
        Set<Room> rooms = new LinkedHashSet<>();
        names.forEach(name -> rooms.add(Room.parse(name)));
        return rooms;
    }

    private static void refuseOthers(Identity identity, Set<Room> rooms) {
        for (Room room : rooms) {
            if (!identity.mayHear(room)) {
                throw Refusal.forbidden("the room " + room + " is outside the token's reach");
            }
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        hub.close();
        if (inbound != null) {
            inbound.close();
        }
    }
}
