package io.postrider;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A named, ordered reader of a topic: its handler and its options. Immutable: each {@code with…} method returns a changed copy. A
 * value outside its limits is refused with a {@link PostriderException} that names the option.
 *
 * <p>There are two kinds. A <em>transactional</em> listener commits its effects in the database and its cursor in one
 * transaction: exactly once. A <em>relay</em> calls systems outside the database while no transaction is open and moves its
 * cursor afterwards: at least once, with {@link LogEvent#id} and {@link LogEvent#position} to detect duplicates.
 */
public final class Listener {
    private static final Duration LONGEST = Duration.ofDays(7);

    private final String name;
    private final String topic;
    private final Handler handler;
    private final @Nullable Set<String> types;
    private final @Nullable Set<String> projects;
    private final int batch;
    private final int concurrency;
    private final FailurePolicy policy;
    private final int attempts;
    private final Duration backoff;
    private final Duration backoffCap;
    private final StartPoint start;
    private final boolean paused;
    private final boolean shadow;

    private Listener(Draft draft) {
        this.name = Refuse.unlessListener("listener", Refuse.missing("listener", draft.name));
        if (name.startsWith("queue:")) {
            throw PostriderException.refused(
                    "listener must not begin with 'queue:', because dead letters of jobs use such names; was '" + name
                            + "'");
        }
        this.topic = Refuse.unlessName("topic", Refuse.missing("topic", draft.topic));
        this.handler = Refuse.missing("handler", draft.handler);
        this.types = draft.types;
        this.projects = draft.projects;
        this.batch = Refuse.outside("batch", draft.batch, 1, 10_000);
        this.concurrency = Refuse.outside("concurrency", draft.concurrency, 1, 1_000);
        this.policy = Refuse.missing("policy", draft.policy);
        this.attempts = Refuse.outside("attempts", draft.attempts, 1, 1_000);
        this.backoff = Refuse.outside("backoff", draft.backoff, Duration.ofMillis(1), LONGEST);
        this.backoffCap = Refuse.outside("backoff cap", draft.backoffCap, draft.backoff, LONGEST);
        this.start = Refuse.missing("start", draft.start);
        this.paused = draft.paused;
        this.shadow = draft.shadow;
        if (concurrency > 1 && !(handler instanceof Handler.Relay || handler instanceof Handler.ToSink)) {
            throw PostriderException.refused("concurrency must be 1 for listener " + name + ", was " + concurrency
                    + ": only Listener.relay, with a sink or a handler for single events, supports more");
        }
        if (types != null) {
            types.forEach(type -> Refuse.unlessType("types", type));
        }
        if (projects != null) {
            projects.forEach(project -> Refuse.unlessReference("projects", project));
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

    /** A listener that calls systems outside the database, one event at a time. */
    public static Listener relay(String name, String topic, Handler.Relay handler) {
        return new Listener(new Draft(name, topic, handler));
    }

    /** A listener that calls systems outside the database, a batch at a time. */
    public static Listener relayBatch(String name, String topic, Handler.RelayBatch handler) {
        return new Listener(new Draft(name, topic, handler));
    }

    /** A listener that sends to a sink. */
    public static Listener relay(String name, String topic, Sink sink) {
        return new Listener(new Draft(name, topic, new Handler.ToSink(sink)));
    }

    /** Handles only events of these types. The filter runs in the database. Default: all. */
    public Listener withTypes(String... only) {
        Draft draft = new Draft(this);
        draft.types = only.length == 0 ? null : Set.of(only);
        return new Listener(draft);
    }

    /**
     * Handles only events of these projects; events without a project are not handled. The filter runs in the database. Default:
     * all.
     */
    public Listener withProjects(String... only) {
        Draft draft = new Draft(this);
        draft.projects = only.length == 0 ? null : Set.copyOf(List.of(only));
        return new Listener(draft);
    }

    /** The maximum number of events that are read, handled and committed together. 1..10000, default 100. */
    public Listener withBatch(int most) {
        Draft draft = new Draft(this);
        draft.batch = most;
        return new Listener(draft);
    }

    /**
     * The maximum number of events of different keys that a relay handles at the same time; events of one key stay in order.
     * 1..1000, default 1. More than 1 is allowed only for a sink or a relay that handles single events.
     */
    public Listener withConcurrency(int most) {
        Draft draft = new Draft(this);
        draft.concurrency = most;
        return new Listener(draft);
    }

    /** Which events wait while a failed event is retried. Default {@link FailurePolicy#BLOCK}. */
    public Listener withPolicy(FailurePolicy newPolicy) {
        Draft draft = new Draft(this);
        draft.policy = newPolicy;
        return new Listener(draft);
    }

    /** How many times an event is tried before it becomes a dead letter. 1..1000, default 5. */
    public Listener withAttempts(int most) {
        Draft draft = new Draft(this);
        draft.attempts = most;
        return new Listener(draft);
    }

    /**
     * The wait after the first failure, doubled after each further one up to the cap, with jitter. 1 ms..7 days, default 1 s up
     * to 5 min.
     */
    public Listener withBackoff(Duration base, Duration cap) {
        Draft draft = new Draft(this);
        draft.backoff = base;
        draft.backoffCap = cap;
        return new Listener(draft);
    }

    /** Where a new listener starts; an existing one resumes at its cursor. Default {@link StartPoint#end}. */
    public Listener withStart(StartPoint newStart) {
        Draft draft = new Draft(this);
        draft.start = newStart;
        return new Listener(draft);
    }

    /** Whether a new listener is created paused. An existing one keeps its state. Default false. */
    public Listener withPaused(boolean newPaused) {
        Draft draft = new Draft(this);
        draft.paused = newPaused;
        return new Listener(draft);
    }

    /**
     * Whether a new listener is created in shadow mode: it does everything except the sending, and records what it would have
     * sent, until {@link io.postrider.admin.Listeners#goLive}. An existing one keeps its mode. Default false.
     */
    public Listener withShadow(boolean newShadow) {
        Draft draft = new Draft(this);
        draft.shadow = newShadow;
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

    /** The types that it handles, or null for all. */
    public @Nullable Set<String> types() {
        return types;
    }

    /** The projects whose events it handles, or null for all. */
    public @Nullable Set<String> projects() {
        return projects;
    }

    public int batch() {
        return batch;
    }

    public int concurrency() {
        return concurrency;
    }

    public FailurePolicy policy() {
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

    public boolean shadow() {
        return shadow;
    }

    /** Whether its effects and its cursor are committed in one transaction. */
    public boolean isTransactional() {
        return handler instanceof Handler.Transactional || handler instanceof Handler.TransactionalBatch;
    }

    /** Returns every effective option, for the log line at the start. */
    @Override
    public String toString() {
        return "listener=" + name + " topic=" + topic + " kind=" + (isTransactional() ? "transactional" : "relay")
                + " policy=" + policy + " batch=" + batch + " concurrency=" + concurrency + " attempts=" + attempts
                + " backoff=" + backoff + ".." + backoffCap + " types=" + (types == null ? "all" : List.copyOf(types))
                + " projects=" + (projects == null ? "all" : List.copyOf(projects)) + " start=" + start
                + (shadow ? " shadow=true" : "");
    }

    /** The options while one of them is being changed. */
    private static final class Draft {
        final String name;
        final String topic;
        final Handler handler;

        @Nullable
        Set<String> types;

        @Nullable
        Set<String> projects;

        int batch = 100;
        int concurrency = 1;
        FailurePolicy policy = FailurePolicy.BLOCK;
        int attempts = 5;
        Duration backoff = Duration.ofSeconds(1);
        Duration backoffCap = Duration.ofMinutes(5);
        StartPoint start = StartPoint.end();
        boolean paused;
        boolean shadow;

        Draft(String name, String topic, Handler handler) {
            this.name = name;
            this.topic = topic;
            this.handler = handler;
        }

        Draft(Listener from) {
            this(from.name, from.topic, from.handler);
            this.types = from.types;
            this.projects = from.projects;
            this.batch = from.batch;
            this.concurrency = from.concurrency;
            this.policy = from.policy;
            this.attempts = from.attempts;
            this.backoff = from.backoff;
            this.backoffCap = from.backoffCap;
            this.start = from.start;
            this.paused = from.paused;
            this.shadow = from.shadow;
        }
    }
}
