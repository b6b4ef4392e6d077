package io.postrider;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A named, ordered reader of a topic, with what it does and how. Immutable: each {@code with…} gives a changed copy.
 *
 * <p>Two kinds, because the difference is real. A <em>transactional</em> listener's effects in the database and its cursor
 * move in one transaction: exactly once. A <em>relay</em> talks to the outside while no transaction is open, and its cursor
 * follows: at least once, with {@link LogEvent#id} and {@link LogEvent#position} to tell a repeat.
 */
public final class Listener {
    private static final Duration LONGEST = Duration.ofDays(7);

    private final String name;
    private final String topic;
    private final Handler handler;
    private final @Nullable Set<String> types;
    private final int batch;
    private final int concurrency;
    private final Policy policy;
    private final int attempts;
    private final Duration backoff;
    private final Duration backoffCap;
    private final StartPoint start;
    private final boolean paused;

    private Listener(Draft draft) {
        this.name = Refuse.unlessListener("listener", Refuse.missing("listener", draft.name));
        if (name.startsWith("queue:")) {
            throw PostriderException.refused(
                    "listener must not begin with queue: (dead letters of jobs are kept by that name), was '" + name
                            + "'");
        }
        this.topic = Refuse.unlessName("topic", Refuse.missing("topic", draft.topic));
        this.handler = Refuse.missing("handler", draft.handler);
        this.types = draft.types;
        this.batch = Refuse.outside("batch", draft.batch, 1, 10_000);
        this.concurrency = Refuse.outside("concurrency", draft.concurrency, 1, 1_000);
        this.policy = Refuse.missing("policy", draft.policy);
        this.attempts = Refuse.outside("attempts", draft.attempts, 1, 1_000);
        this.backoff = Refuse.outside("backoff", draft.backoff, Duration.ofMillis(1), LONGEST);
        this.backoffCap = Refuse.outside("backoff cap", draft.backoffCap, draft.backoff, LONGEST);
        this.start = Refuse.missing("start", draft.start);
        this.paused = draft.paused;
        if (concurrency > 1 && !(handler instanceof Handler.Relay || handler instanceof Handler.ToSink)) {
            throw PostriderException.refused("concurrency must be 1 for listener " + name + ", was " + concurrency
                    + ": only a relay to a sink, or one that handles one event at a time, can run several at once");
        }
        if (types != null) {
            types.forEach(type -> Refuse.unlessType("types", type));
        }
    }

    /** A listener whose effects commit together with its cursor, one event at a time. */
    public static Listener transactional(String name, String topic, Handler.Transactional handler) {
        return new Listener(new Draft(name, topic, handler));
    }

    /** A listener whose effects commit together with its cursor, a batch at a time. */
    public static Listener transactionalBatch(String name, String topic, Handler.TransactionalBatch handler) {
        return new Listener(new Draft(name, topic, handler));
    }

    /** A listener that talks to the outside, one event at a time. */
    public static Listener relay(String name, String topic, Handler.Relay handler) {
        return new Listener(new Draft(name, topic, handler));
    }

    /** A listener that talks to the outside, a batch at a time. */
    public static Listener relayBatch(String name, String topic, Handler.RelayBatch handler) {
        return new Listener(new Draft(name, topic, handler));
    }

    /** A listener that sends to a sink. */
    public static Listener relay(String name, String topic, Sink sink) {
        return new Listener(new Draft(name, topic, new Handler.ToSink(sink)));
    }

    /** Only events of these types; the others are passed over. The filter runs in the database. Default: all. */
    public Listener withTypes(String... only) {
        Draft draft = new Draft(this);
        draft.types = only.length == 0 ? null : Set.of(only);
        return new Listener(draft);
    }

    /** How many events are read, handled and committed together, at most. 1..10000, default 100. */
    public Listener withBatch(int most) {
        Draft draft = new Draft(this);
        draft.batch = most;
        return new Listener(draft);
    }

    /** How many events of different keys a relay handles at once. 1..1000, default 1. */
    public Listener withConcurrency(int most) {
        Draft draft = new Draft(this);
        draft.concurrency = most;
        return new Listener(draft);
    }

    /** What waits while an event that failed is tried again. Default {@link Policy#BLOCK}. */
    public Listener withPolicy(Policy newPolicy) {
        Draft draft = new Draft(this);
        draft.policy = newPolicy;
        return new Listener(draft);
    }

    /** How often an event is tried before it becomes a dead letter. 1..1000, default 5. */
    public Listener withAttempts(int most) {
        Draft draft = new Draft(this);
        draft.attempts = most;
        return new Listener(draft);
    }

    /** The wait after the first failure, doubled after each further one up to the cap, with jitter. Default 1 s, 5 min. */
    public Listener withBackoff(Duration base, Duration cap) {
        Draft draft = new Draft(this);
        draft.backoff = base;
        draft.backoffCap = cap;
        return new Listener(draft);
    }

    /** Where it begins if it does not exist yet. Default {@link StartPoint#end}. */
    public Listener withStart(StartPoint newStart) {
        Draft draft = new Draft(this);
        draft.start = newStart;
        return new Listener(draft);
    }

    /** Whether it is paused when it is made; later, pause and resume decide. Default false. */
    public Listener withPaused(boolean newPaused) {
        Draft draft = new Draft(this);
        draft.paused = newPaused;
        return new Listener(draft);
    }

    public String name() {
        return name;
    }

    public String topic() {
        return topic;
    }

    public Handler handler() {
        return handler;
    }

    /** The types it listens to, or null for all. */
    public @Nullable Set<String> types() {
        return types;
    }

    public int batch() {
        return batch;
    }

    public int concurrency() {
        return concurrency;
    }

    public Policy policy() {
        return policy;
    }

    public int attempts() {
        return attempts;
    }

    public Duration backoff() {
        return backoff;
    }

    public Duration backoffCap() {
        return backoffCap;
    }

    public StartPoint start() {
        return start;
    }

    public boolean paused() {
        return paused;
    }

    /** Whether its effects and its cursor move in one transaction. */
    public boolean isTransactional() {
        return handler instanceof Handler.Transactional || handler instanceof Handler.TransactionalBatch;
    }

    /** Every effective option, for the line that is logged at the start. */
    @Override
    public String toString() {
        return "listener=" + name + " topic=" + topic + " kind=" + (isTransactional() ? "transactional" : "relay")
                + " policy=" + policy + " batch=" + batch + " concurrency=" + concurrency + " attempts=" + attempts
                + " backoff=" + backoff + ".." + backoffCap + " types=" + (types == null ? "all" : List.copyOf(types))
                + " start=" + start;
    }

    /** The options while one of them is being changed. */
    private static final class Draft {
        final String name;
        final String topic;
        final Handler handler;

        @Nullable
        Set<String> types;

        int batch = 100;
        int concurrency = 1;
        Policy policy = Policy.BLOCK;
        int attempts = 5;
        Duration backoff = Duration.ofSeconds(1);
        Duration backoffCap = Duration.ofMinutes(5);
        StartPoint start = StartPoint.end();
        boolean paused;

        Draft(String name, String topic, Handler handler) {
            this.name = name;
            this.topic = topic;
            this.handler = handler;
        }

        Draft(Listener from) {
            this(from.name, from.topic, from.handler);
            this.types = from.types;
            this.batch = from.batch;
            this.concurrency = from.concurrency;
            this.policy = from.policy;
            this.attempts = from.attempts;
            this.backoff = from.backoff;
            this.backoffCap = from.backoffCap;
            this.start = from.start;
            this.paused = from.paused;
        }
    }
}
