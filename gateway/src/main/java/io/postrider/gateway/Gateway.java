package io.postrider.gateway;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The door to a hub: who comes in, for what, and who does not. SSE and WebSocket both come through here, so there is one answer
 * for both. What the adapters stand on. Safe to share.
 */
public final class Gateway implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(2);

    private final Tokens tokens;
    private final Hub hub;
    private final GatewayOptions options;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Threads.named("postrider-gateway-clock"));

    private Gateway(Tokens tokens, Hub hub) {
        this.tokens = tokens;
        this.hub = hub;
        this.options = hub.options();
    }

    /** A gateway that knows people by these tokens. The hub is the gateway's from now on, and is closed with it. */
    public static Gateway of(Tokens tokens, Hub hub) {
        return new Gateway(tokens, hub);
    }

    public Hub hub() {
        return hub;
    }

    public GatewayOptions options() {
        return options;
    }

    /** What a client asks for, as it came. */
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

    /** Refuses, with 403, a request from a page that is not allowed to connect. */
    public void refuseForeign(@Nullable String origin, @Nullable String host, boolean secure) {
        if (!options.origins().allows(origin, host, secure)) {
            throw Refusal.forbidden("pages from '" + Names.shown(origin)
                    + "' may not connect; add the origin to the gateway's allow-list if they should");
        }
    }

    /** Takes one of the places; refused with 503 if none is left. The transport that takes it must see that it is left. */
    public Visit arrive() {
        if (!hub.isReady()) {
            throw Refusal.unavailable("the gateway is not ready yet, or closing; come back in a moment", SOON);
        }
        return new Visit(hub.places().take());
    }

    /** Does something after a while, on a thread that must not be held up. */
    public void after(Duration delay, Runnable task) {
        ScheduledFuture<?> unused = clock.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Somebody was refused: for those who count. */
    public void refused(int status) {
        hub.watch().refused(status);
    }

    /** One connection on its way in. Used by one thread at a time. */
    public final class Visit {
        private final Places.Seat seat;
        private @Nullable Subscriber subscriber;
        private @Nullable Entry entry;

        private Visit(Places.Seat seat) {
            this.seat = seat;
        }

        /** Waits for the client's first message. If too many connections wait, this callback closes the connection. */
        public void awaitHello(Runnable sendAway) {
            seat.waitUntil(sendAway);
        }

        /** Looks at the token and at all that is wished, and refuses what is not allowed. Nothing has begun yet. */
        public void admit(Wish wish) {
            entry = Gateway.this.admit(wish);
            try {
                seat.name(entry.identity());
            } catch (Refusal full) {
                hub.callRoll(entry.identity());
                throw full;
            }
        }

        /** Begins the stream. */
        public Subscriber join(Transport transport) {
            if (entry == null) {
                throw new IllegalStateException("nobody joins who was not let in");
            }
            subscriber = hub.join(entry, seat, transport);
            return subscriber;
        }

        /** A new token for the stream that is open: of the same subject, and for all of its rooms. */
        public void renew(@Nullable String token) {
            if (subscriber == null || entry == null) {
                throw Refusal.badRequest("say hello first");
            }
            Identity identity = verified(token);
            if (!identity.subject().equals(entry.identity().subject())) {
                throw Refusal.forbidden("the new token is somebody else's; open another connection for it");
            }
            refuseOthers(identity, entry.rooms());
            hub.renew(subscriber, identity);
        }

        /** Gives the place back, if the stream did not begin or has ended. */
        public void leave() {
            if (subscriber == null) {
                seat.leave();
            } else {
                subscriber.gone();
            }
        }
    }

    private Entry admit(Wish wish) {
        Identity identity = verified(wish.token());
        String topic = wish.topic();
        if (topic == null || topic.isEmpty()) {
            throw Refusal.badRequest("topic must be given");
        }
        if (!options.topics().contains(topic)) {
            throw Refusal.notFound("there is no topic '" + Names.shown(topic) + "' at this gateway");
        }
        Set<Room> rooms = rooms(wish.rooms());
        refuseOthers(identity, rooms);
        if (wish.position() != null && wish.position() < 0) {
            throw Refusal.badRequest("position must not be below 0, was " + wish.position());
        }
        return new Entry(identity, topic, rooms, wish.position());
    }

    /** A stream ends at exp, so none begins after it, whatever the skew. */
    private Identity verified(@Nullable String token) {
        if (token == null || token.isEmpty()) {
            throw Refusal.unauthorized("a token is needed");
        }
        Identity identity = tokens.verify(token);
        if (!options.clock().instant().isBefore(identity.expires())) {
            throw Refusal.unauthorized("the token has expired; get a new one");
        }
        if (identity.tokenId() != null && options.revocations().isRevoked(identity.tokenId())) {
            throw Refusal.unauthorized("the token was revoked; get a new one");
        }
        return identity;
    }

    private Set<Room> rooms(List<String> names) {
        if (names.isEmpty() || names.size() > options.rooms()) {
            throw Refusal.badRequest("name 1.." + options.rooms() + " rooms, were " + names.size());
        }
        Set<Room> rooms = new LinkedHashSet<>();
        names.forEach(name -> rooms.add(Room.parse(name)));
        return rooms;
    }

    private static void refuseOthers(Identity identity, Set<Room> rooms) {
        for (Room room : rooms) {
            if (!identity.mayHear(room)) {
                throw Refusal.forbidden("the token does not reach the room " + room);
            }
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        hub.close();
    }
}
