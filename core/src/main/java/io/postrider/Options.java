package io.postrider;

import io.postrider.admin.Watch;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The options of a node. Immutable: each {@code with…} method returns a changed copy. A value outside its limits is refused with
 * a {@link PostriderException} that names the option.
 */
public final class Options {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m)");

    private final String schema;
    private final String node;
    private final @Nullable DataSource direct;
    private final boolean notify;
    private final Duration poll;
    private final int payloadCap;
    private final Duration keep;
    private final Duration patience;
    private final int passSize;
    private final long segmentSize;
    private final boolean autocommit;
    private final @Nullable Duration statementTimeout;
    private final @Nullable Duration lockTimeout;
    private final int logRate;
    private final Watch watch;
    private final @Nullable HandlerTransactions handlerTransactions;

    private Options(Draft draft) {
        this.schema = Refuse.unlessSchema(draft.schema);
        this.node = Refuse.unlessName("node", draft.node);
        this.direct = draft.direct;
        this.notify = draft.notify;
        this.poll = Refuse.outside("poll", draft.poll, Duration.ofMillis(10), Duration.ofMinutes(5));
        this.payloadCap = Refuse.outside("payload cap", draft.payloadCap, 1, 64 << 20);
        this.keep = Refuse.outside("keep", draft.keep, Duration.ZERO, Duration.ofDays(36_500));
        this.patience = Refuse.outside("patience", draft.patience, draft.keep, Duration.ofDays(36_500));
        this.passSize = Refuse.outside("pass size", draft.passSize, 1, 1_000_000);
        this.segmentSize = Refuse.outside("segment size", (int) draft.segmentSize, 1_000, Integer.MAX_VALUE);
        this.autocommit = draft.autocommit;
        this.statementTimeout = timeout("statement timeout", draft.statementTimeout);
        this.lockTimeout = timeout("lock timeout", draft.lockTimeout);
        this.logRate = Refuse.outside("log rate", draft.logRate, 0, 1_000_000);
        this.watch = draft.watch;
        this.handlerTransactions = draft.handlerTransactions;
    }

    /**
     * Returns the defaults: schema {@code postrider}, wake-up by notification, poll every 1 s, payloads up to 256 KiB, events
     * kept for 7 days.
     */
    public static Options defaults() {
        return new Options(new Draft());
    }

    /** The schema that holds the log. Default {@code postrider}. */
    public Options withSchema(String name) {
        Draft draft = new Draft(this);
        draft.schema = name;
        return new Options(draft);
    }

    /** The name of this process in log lines, in metrics and in the ledgers of its listeners. Default: host name and process id. */
    public Options withNode(String name) {
        Draft draft = new Draft(this);
        draft.node = name;
        return new Options(draft);
    }

    /**
     * The data source of the one connection that the node keeps open. Needed if the main data source goes through a pooler such
     * as PgBouncer.
     */
    public Options withDirect(DataSource newDirect) {
        Draft draft = new Draft(this);
        draft.direct = newDirect;
        return new Options(draft);
    }

    /**
     * Whether producers wake an idle sequencer with a notification. Turn it off if the application uses PREPARE TRANSACTION,
     * which PostgreSQL refuses after a notification: producers then never notify, and nodes find events by polling. Default on.
     */
    public Options withNotify(boolean on) {
        Draft draft = new Draft(this);
        draft.notify = on;
        return new Options(draft);
    }

    /**
     * How often a node polls, in case a notification was lost. 10 ms..5 min, default 1 s. A node that no notification can reach,
     * such as one behind a pooler without a direct connection, polls at least once a second. Signs of life, taking over from a
     * node that is gone, and delayed jobs do not depend on this: they are checked at least once a second.
     */
    public Options withPoll(Duration every) {
        Draft draft = new Draft(this);
        draft.poll = every;
        return new Options(draft);
    }

    /**
     * Applies the environment variables for a careful rollout: {@code POSTRIDER_NOTIFY} is {@code on} or {@code off},
     * {@code POSTRIDER_POLL} is a time such as {@code 500ms}, {@code 30s} or {@code 5m}. An unset or empty variable changes nothing.
     */
    public Options withEnvironment(Map<String, String> environment) {
        Options changed = this;
        String switched = environment.getOrDefault("POSTRIDER_NOTIFY", "");
        if (!switched.isEmpty()) {
            changed = changed.withNotify(isOn("POSTRIDER_NOTIFY", switched));
        }
        String every = environment.getOrDefault("POSTRIDER_POLL", "");
        return every.isEmpty() ? changed : changed.withPoll(time("POSTRIDER_POLL", every));
    }

    private static boolean isOn(String variable, String value) {
        if (!value.equals("on") && !value.equals("off")) {
            throw PostriderException.refused(variable + " must be on or off, was '" + Refuse.shortened(value) + "'");
        }
        return value.equals("on");
    }

    private static Duration time(String variable, String value) {
        Matcher matcher = TIME.matcher(value);
        if (!matcher.matches()) {
            throw PostriderException.refused(
                    variable + " must be a time such as 500ms, 30s or 5m, was '" + Refuse.shortened(value) + "'");
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            default -> Duration.ofMinutes(count);
        };
    }

    /**
     * The maximum size of a payload. 1 byte..64 MiB, default 256 KiB. The schema has its own cap, 256 KiB unless a migration
     * changed it.
     */
    public Options withPayloadCap(int bytes) {
        Draft draft = new Draft(this);
        draft.payloadCap = bytes;
        return new Options(draft);
    }

    /**
     * How long events that every listener has handled are kept, counted from when their segment is closed. 0..36,500 days, default
     * 7 days. Raises a shorter patience to this value.
     */
    public Options withKeep(Duration newKeep) {
        Draft draft = new Draft(this);
        draft.keep = newKeep;
        draft.patience = newKeep.compareTo(patience) > 0 ? newKeep : patience;
        return new Options(draft);
    }

    /**
     * How long events are kept for a listener that has not handled them, counted from when their segment is closed; then the
     * listener is detached. At least the value of {@link #withKeep}, at most 36,500 days, default 30 days.
     */
    public Options withPatience(Duration newPatience) {
        Draft draft = new Draft(this);
        draft.patience = newPatience;
        return new Options(draft);
    }

    /** The maximum number of events that one pass of the sequencer gives positions to. 1..1,000,000, default 20,000. */
    public Options withPassSize(int most) {
        Draft draft = new Draft(this);
        draft.passSize = most;
        return new Options(draft);
    }

    /**
     * How many event ids a segment holds; retention removes whole segments. At least 1,000, default 4 million. While there are more
     * than 16 segments, new ones are larger, so that there are never 100.
     */
    public Options withSegmentSize(long events) {
        Draft draft = new Draft(this);
        draft.segmentSize = Math.min(Math.max(events, Integer.MIN_VALUE), Integer.MAX_VALUE);
        return new Options(draft);
    }

    /**
     * Whether {@code emit} and {@code enqueue} accept a connection in autocommit mode, on which each event commits separately and
     * remains even if the work around it fails. Default off: such a connection is refused.
     */
    public Options withAutocommit(boolean allowed) {
        Draft draft = new Draft(this);
        draft.autocommit = allowed;
        return new Options(draft);
    }

    /**
     * The server cancels a statement that takes longer than this. For health checks and tools that do not start a node;
     * {@link Postrider#start} refuses it. Set in each transaction, so that it also works behind a pooler. 1 ms..1 day, default:
     * none.
     */
    public Options withStatementTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.statementTimeout = most;
        return new Options(draft);
    }

    /**
     * A statement that waits longer than this for a lock fails. For tools that write and do not start a node;
     * {@link Postrider#start} refuses it. Set in each transaction, so that it also works behind a pooler. 1 ms..1 day, default:
     * none.
     */
    public Options withLockTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.lockTimeout = most;
        return new Options(draft);
    }

    private static @Nullable Duration timeout(String option, @Nullable Duration value) {
        return value == null ? null : Refuse.outside(option, value, Duration.ofMillis(1), Duration.ofDays(1));
    }

    /**
     * How many lines per second the node logs at info about single events and jobs, of each kind: {@code outbox_enqueued},
     * {@code outbox_publish_succeeded}, {@code job_claimed}, {@code job_completed}. The rest is counted, and the line
     * {@code log_lines_left_out} reports the counts every 10 s. Failures are always logged. 0..1,000,000, default 0: these lines are
     * logged only at debug.
     */
    public Options withLogRate(int linesPerSecond) {
        Draft draft = new Draft(this);
        draft.logRate = linesPerSecond;
        return new Options(draft);
    }

    /** Receives what the node does, for metrics and traces. Default: nothing. */
    public Options withWatch(Watch newWatch) {
        Draft draft = new Draft(this);
        draft.watch = newWatch;
        return new Options(draft);
    }

    /** Opens the transactions of transactional handlers. Default: Postrider itself, on connections of its data source. */
    public Options withHandlerTransactions(HandlerTransactions transactions) {
        Draft draft = new Draft(this);
        draft.handlerTransactions = transactions;
        return new Options(draft);
    }

    public String schema() {
        return schema;
    }

    public String node() {
        return node;
    }

    public @Nullable DataSource direct() {
        return direct;
    }

    public boolean notifies() {
        return notify;
    }

    public Duration poll() {
        return poll;
    }

    public int payloadCap() {
        return payloadCap;
    }

    public Duration keep() {
        return keep;
    }

    public Duration patience() {
        return patience;
    }

    public int passSize() {
        return passSize;
    }

    public long segmentSize() {
        return segmentSize;
    }

    public boolean autocommit() {
        return autocommit;
    }

    /** See {@link #withStatementTimeout}; null: none. */
    public @Nullable Duration statementTimeout() {
        return statementTimeout;
    }

    /** See {@link #withLockTimeout}; null: none. */
    public @Nullable Duration lockTimeout() {
        return lockTimeout;
    }

    public int logRate() {
        return logRate;
    }

    public Watch watch() {
        return watch;
    }

    public @Nullable HandlerTransactions handlerTransactions() {
        return handlerTransactions;
    }

    /** Returns every effective option, for the log line at the start. */
    @Override
    public String toString() {
        return "node=" + node + " schema=" + schema + " notify=" + (notify ? "idle" : "off") + " poll=" + poll
                + " payload_cap=" + payloadCap + " keep=" + keep + " patience=" + patience + " pass_size=" + passSize
                + " segment_size=" + segmentSize + " direct=" + (direct != null)
                + " autocommit=" + autocommit + " log_rate=" + logRate;
    }

    private static String defaultNode() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "node-" + UUID.randomUUID().toString().substring(0, 8);
        }
        String clean = host.replaceAll("[^A-Za-z0-9._-]", "-").replaceAll("^[^A-Za-z0-9]+", "");
        return (clean.isEmpty() ? "node" : clean.substring(0, Math.min(clean.length(), 60))) + ":"
                + ManagementFactory.getRuntimeMXBean().getPid();
    }

    /** The options while one of them is being changed. */
    private static final class Draft {
        String schema = "postrider";
        String node = defaultNode();

        @Nullable
        DataSource direct;

        boolean notify = true;
        Duration poll = Duration.ofSeconds(1);
        int payloadCap = 256 * 1024;
        Duration keep = Duration.ofDays(7);
        Duration patience = Duration.ofDays(30);
        int passSize = 20_000;
        long segmentSize = 4_000_000;
        boolean autocommit;

        @Nullable
        Duration statementTimeout;

        @Nullable
        Duration lockTimeout;

        int logRate;
        Watch watch = Watch.NOTHING;

        @Nullable
        HandlerTransactions handlerTransactions;

        Draft() {}

        Draft(Options from) {
            this.schema = from.schema;
            this.node = from.node;
            this.direct = from.direct;
            this.notify = from.notify;
            this.poll = from.poll;
            this.payloadCap = from.payloadCap;
            this.keep = from.keep;
            this.patience = from.patience;
            this.passSize = from.passSize;
            this.segmentSize = from.segmentSize;
            this.autocommit = from.autocommit;
            this.statementTimeout = from.statementTimeout;
            this.lockTimeout = from.lockTimeout;
            this.logRate = from.logRate;
            this.watch = from.watch;
            this.handlerTransactions = from.handlerTransactions;
        }
    }
}
