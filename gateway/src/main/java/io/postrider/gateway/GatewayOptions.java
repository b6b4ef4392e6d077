package io.postrider.gateway;

import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import io.postrider.admin.Rooms;
import io.postrider.gateway.internal.SafeNames;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options of a gateway. Immutable: each {@code with…} returns a changed copy. An invalid value is refused, and the error names the
 * option.
 */
public final class GatewayOptions {
    private static final int MIB = 1 << 20;
    private static final int MANY = 1_000_000;

    private final Draft is;

    private GatewayOptions(Draft draft) {
        this.is = draft;
    }

    /** The default options for these topics. */
    public static GatewayOptions of(String... topics) {
        Draft draft = new Draft();
        draft.topics = topics(topics);
        return new GatewayOptions(draft);
    }

    private static Set<String> topics(String... topics) {
        for (String topic : topics) {
            if (!SafeNames.isTopic(topic)) {
                throw PostriderException.refused(
                        "topics must match " + SafeNames.TOPIC + ", was '" + SafeNames.shown(topic) + "'");
            }
        }
        if (topics.length == 0) {
            throw PostriderException.refused("topics must name at least one topic: the gateway streams only these");
        }
        return Set.copyOf(Arrays.asList(topics));
    }

    /** How many of a topic's latest events are kept in memory, and their maximum size in bytes. Default 10,000 and 16 MiB. */
    public GatewayOptions withRecent(int events, int bytes) {
        Draft draft = is.copy();
        draft.recentEvents = within("recent events", events, 1, 10 * MANY);
        draft.recentBytes = within("recent bytes", bytes, 1024, 1024 * MIB);
        return new GatewayOptions(draft);
    }

    /** The size of a connection's send buffer. If it is full, the connection is closed. Default 1 MiB and 4,096 frames. */
    public GatewayOptions withOutbox(int bytes, int frames) {
        Draft draft = is.copy();
        draft.outboxBytes = within("outbox bytes", bytes, 1024, 64 * MIB);
        draft.outboxFrames = within("outbox frames", frames, 8, MANY);
        return new GatewayOptions(draft);
    }

    /** The heartbeat: a connection that is idle this long gets a frame with its position. 100 ms..5 min, default 15 s. */
    public GatewayOptions withHeartbeat(Duration every) {
        Draft draft = is.copy();
        draft.heartbeat = within("heartbeat", every, Duration.ofMillis(100), Duration.ofMinutes(5));
        return new GatewayOptions(draft);
    }

    /** How long a WebSocket may be open without a hello, and the maximum size of a client's message. Default 10 s, 16 KiB. */
    public GatewayOptions withHello(Duration within, int bytes) {
        Draft draft = is.copy();
        draft.helloTimeout = within("hello time-out", within, Duration.ofMillis(100), Duration.ofMinutes(1));
        draft.helloBytes = within("hello bytes", bytes, 256, MIB);
        return new GatewayOptions(draft);
    }

    /** How long a connection may accept no data at all before it is closed. Default 10 s. */
    public GatewayOptions withSendTimeout(Duration after) {
        Draft draft = is.copy();
        draft.sendTimeout = within("send time-out", after, Duration.ofMillis(100), Duration.ofMinutes(5));
        return new GatewayOptions(draft);
    }

    /**
     * The maximum number of connections, in total and per subject. Default 10,000 and 20. Per minute, a subject may open 10 times
     * its maximum, and at least 200.
     */
    public GatewayOptions withConnections(int most, int mostOfOne) {
        Draft draft = is.copy();
        draft.connections = within("connections", most, 1, MANY);
        draft.connectionsOfOne = within("connections of one subject", mostOfOne, 1, MANY);
        return new GatewayOptions(draft);
    }

    /** The maximum number of rooms per connection, up to 100, which is the limit of an event log page. Default 50. */
    public GatewayOptions withRooms(int most) {
        Draft draft = is.copy();
        draft.rooms = within("rooms", most, 1, Rooms.MOST);
        return new GatewayOptions(draft);
    }

    /** How many events one query of the read model returns, and how many threads query it. Default 200 and 4. */
    public GatewayOptions withHistory(int page, int readers) {
        Draft draft = is.copy();
        draft.page = within("page", page, 1, 10_000);
        draft.readers = within("readers", readers, 1, 1_000);
        return new GatewayOptions(draft);
    }

    /** How long a connection waits for a read model that lags or fails before it is closed. Default 10 s. */
    public GatewayOptions withCatchUp(Duration within) {
        Draft draft = is.copy();
        draft.catchUp = within("catch-up", within, Duration.ofMillis(100), Duration.ofMinutes(5));
        return new GatewayOptions(draft);
    }

    /** The number of threads that write to sockets. Default 2. */
    public GatewayOptions withWriters(int threads) {
        Draft draft = is.copy();
        draft.writers = within("writers", threads, 1, 1_000);
        return new GatewayOptions(draft);
    }

    /**
     * The origins from which browsers may connect, such as {@code https://chat.example.org}. Default none: a request with an
     * origin is refused. A request without an origin does not come from a page in a browser, and needs a token like all others.
     */
    public GatewayOptions withOrigins(String... allowed) {
        Draft draft = is.copy();
        draft.origins = Origins.of(is.origins.sameOrigin(), allowed);
        return new GatewayOptions(draft);
    }

    /** Whether pages from the same host as the request may connect. Default false. */
    public GatewayOptions withSameOrigin(boolean allowed) {
        Draft draft = is.copy();
        draft.origins = is.origins.withSameOrigin(allowed);
        return new GatewayOptions(draft);
    }

    /** Accepts messages that clients send over their WebSocket. Default: none, and such messages are refused. */
    public GatewayOptions withInbound(Inbound inbound) {
        Draft draft = is.copy();
        draft.inbound = inbound;
        return new GatewayOptions(draft);
    }

    /**
     * The maximum size of a message from a client in bytes, including its frame, and how many messages a subject may send at once
     * and per second, over all its connections. Default 16 KiB, 200 and 25.
     */
    public GatewayOptions withInboundLimits(int bytes, int atOnce, int perSecond) {
        Draft draft = is.copy();
        draft.inboundBytes = within("inbound bytes", bytes, 256, MIB);
        draft.inboundAtOnce = within("inbound messages at once", atOnce, 1, 10_000);
        draft.inboundPerSecond = within("inbound messages per second", perSecond, 1, 10_000);
        return new GatewayOptions(draft);
    }

    /** How many threads call the {@link Inbound}. Default 4. */
    public GatewayOptions withInboundThreads(int threads) {
        Draft draft = is.copy();
        draft.inboundThreads = within("inbound threads", threads, 1, 1_000);
        return new GatewayOptions(draft);
    }

    /** The source of revoked tokens. Default: none. */
    public GatewayOptions withRevocations(Revocations revocations) {
        Draft draft = is.copy();
        draft.revocations = revocations;
        return new GatewayOptions(draft);
    }

    /** The hook for metrics. Default: none. */
    public GatewayOptions withWatch(GatewayWatch watch) {
        Draft draft = is.copy();
        draft.watch = watch;
        return new GatewayOptions(draft);
    }

    /** The clock that decides when tokens expire. Default: the system clock. */
    public GatewayOptions withClock(Clock clock) {
        Draft draft = is.copy();
        draft.clock = clock;
        return new GatewayOptions(draft);
    }

    /**
     * The format of events in streams: {@code data} of an SSE event, {@code event} of a WebSocket message. Default CloudEvents. A client
     * resumes by the position of the frame, which every format has.
     */
    public GatewayOptions withFormat(MessageFormat format) {
        if (format == null) {
            throw PostriderException.refused("format must be given, was null");
        }
        Draft draft = is.copy();
        draft.format = format;
        return new GatewayOptions(draft);
    }

    public Set<String> topics() {
        return is.topics;
    }

    public int recentEvents() {
        return is.recentEvents;
    }

    public int recentBytes() {
        return is.recentBytes;
    }

    public int outboxBytes() {
        return is.outboxBytes;
    }

    public int outboxFrames() {
        return is.outboxFrames;
    }

    public Duration heartbeat() {
        return is.heartbeat;
    }

    public Duration helloTimeout() {
        return is.helloTimeout;
    }

    public int helloBytes() {
        return is.helloBytes;
    }

    public Duration sendTimeout() {
        return is.sendTimeout;
    }

    public int connections() {
        return is.connections;
    }

    public int connectionsOfOne() {
        return is.connectionsOfOne;
    }

    public int rooms() {
        return is.rooms;
    }

    public int page() {
        return is.page;
    }

    public int readers() {
        return is.readers;
    }

    public Duration catchUp() {
        return is.catchUp;
    }

    public int writers() {
        return is.writers;
    }

    /** Null: messages from clients are refused. */
    public @Nullable Inbound inbound() {
        return is.inbound;
    }

    public int inboundBytes() {
        return is.inboundBytes;
    }

    public int inboundAtOnce() {
        return is.inboundAtOnce;
    }

    public int inboundPerSecond() {
        return is.inboundPerSecond;
    }

    public int inboundThreads() {
        return is.inboundThreads;
    }

    public Revocations revocations() {
        return is.revocations;
    }

    public GatewayWatch watch() {
        return is.watch;
    }

    public Clock clock() {
        return is.clock;
    }

    public MessageFormat format() {
        return is.format;
    }

    Origins origins() {
        return is.origins;
    }

    /** Every effective option, for the log line at startup. */
    @Override
    public String toString() {
        return "topics=" + is.topics + " recent=" + is.recentEvents + "/" + is.recentBytes + " outbox=" + is.outboxBytes
                + "/" + is.outboxFrames + " heartbeat=" + is.heartbeat + " hello=" + is.helloTimeout + "/"
                + is.helloBytes + " send_timeout=" + is.sendTimeout + " connections=" + is.connections + "/"
                + is.connectionsOfOne + " rooms=" + is.rooms + " page=" + is.page + " readers=" + is.readers
                + " catch_up=" + is.catchUp + " writers=" + is.writers
                + " inbound="
                + (is.inbound == null
                        ? "off"
                        : is.inboundBytes + "/" + is.inboundAtOnce + "/" + is.inboundPerSecond + "/"
                                + is.inboundThreads)
                + " format=" + is.format.word() + " " + is.origins;
    }

    private static int within(String option, int value, int low, int high) {
        if (value < low || value > high) {
            throw PostriderException.refused(option + " must be " + low + ".." + high + ", was " + value);
        }
        return value;
    }

    private static Duration within(String option, Duration value, Duration low, Duration high) {
        if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
            throw PostriderException.refused(option + " must be " + low.toMillis() + ".." + high.toMillis()
                    + " ms, was " + value.toMillis() + " ms");
        }
        return value;
    }

    /** A mutable copy of the options, used to change one of them. */
    private static final class Draft implements Cloneable {
        Set<String> topics = Set.of();
        int recentEvents = 10_000;
        int recentBytes = 16 * MIB;
        int outboxBytes = MIB;
        int outboxFrames = 4_096;
        Duration heartbeat = Duration.ofSeconds(15);
        Duration helloTimeout = Duration.ofSeconds(10);
        int helloBytes = 16 * 1024;
        Duration sendTimeout = Duration.ofSeconds(10);
        int connections = 10_000;
        int connectionsOfOne = 20;
        int rooms = 50;
        int page = 200;
        int readers = 4;
        Duration catchUp = Duration.ofSeconds(10);
        int writers = 2;

        @Nullable
        Inbound inbound;

        int inboundBytes = 16 * 1024;
        int inboundAtOnce = 200;
        int inboundPerSecond = 25;
        int inboundThreads = 4;
        Origins origins = Origins.NONE;
        Revocations revocations = Revocations.NONE;
        GatewayWatch watch = GatewayWatch.NOTHING;
        Clock clock = Clock.systemUTC();
        MessageFormat format = MessageFormat.CLOUD_EVENTS;

        Draft copy() {
            try {
                return (Draft) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
