package io.postrider.admin;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.PostriderException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which table to adopt, where its rows go, and what its columns mean. Immutable: each {@code with…} method returns a changed copy.
 * A value outside its limits is refused with a {@link PostriderException} that names the option.
 */
public final class Adoption {
    /** What a column can mean. {@code ignore}: the column is not used. */
    public static final List<String> FIELDS = List.of(
            "id",
            "type",
            "payload",
            "key",
            "aggregate_type",
            "aggregate_id",
            "user_id",
            "project_id",
            "headers",
            "created_at",
            "processed_at",
            "processed",
            "status",
            "attempts",
            "run_at",
            "retry_at",
            "claimed_at",
            "locked_by",
            "lease_expires_at",
            "last_error",
            "last_error_code",
            "ignore");

    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    private final String table;
    private final @Nullable String topic;
    private final @Nullable String queue;
    private final Map<String, String> map;
    private final @Nullable String type;
    private final @Nullable String order;
    private final Set<String> finished;
    private final @Nullable String statusDone;
    private final @Nullable String statusFailed;
    private final Duration lease;
    private final boolean newOnly;

    private Adoption(Draft draft) {
        this.table = draft.table;
        this.topic = draft.topic;
        this.queue = draft.queue;
        this.map = Map.copyOf(draft.map);
        this.type = draft.type;
        this.order = draft.order;
        this.finished = Set.copyOf(draft.finished);
        this.statusDone = draft.statusDone;
        this.statusFailed = draft.statusFailed;
        this.lease = draft.lease;
        this.newOnly = draft.newOnly;
        if (topic != null && queue != null) {
            throw PostriderException.refused(
                    "an adopted table has a topic or a queue, not both; was topic " + topic + " and queue " + queue);
        }
    }

    /** The table {@code schema.table}; without a schema, it is in {@code public}. */
    public static Adoption of(String table) {
        return new Adoption(new Draft(given("table", table)));
    }

    /** Its rows become events of this topic. */
    public Adoption withTopic(String newTopic) {
        Draft draft = new Draft(this);
        draft.topic = Event.of(given("topic", newTopic), "any", "{}").topic();
        return new Adoption(draft);
    }

    /** Its rows become jobs of this queue. */
    public Adoption withQueue(String newQueue) {
        Draft draft = new Draft(this);
        draft.queue = Job.of(given("queue", newQueue), "any", "{}").queue();
        return new Adoption(draft);
    }

    /** This column means this field, one of {@link #FIELDS}, whatever the column's name suggests. */
    public Adoption withMap(String column, String field) {
        if (!FIELDS.contains(given("field", field))) {
            throw PostriderException.refused(
                    "field must be one of " + String.join(", ", FIELDS) + ", was '" + field + "'");
        }
        Draft draft = new Draft(this);
        draft.map.put(given("column", column), field);
        return new Adoption(draft);
    }

    /** The type of all events or jobs, if no column has it. Default: the name of the table. */
    public Adoption withType(String newType) {
        Draft draft = new Draft(this);
        draft.type = Event.of("any", given("type", newType), "{}").type();
        return new Adoption(draft);
    }

    /** The column by which old rows are imported in order. Default: an id that is a number, otherwise the time of creation. */
    public Adoption withOrder(String column) {
        Draft draft = new Draft(this);
        draft.order = given("order", column);
        return new Adoption(draft);
    }

    /** The values of the status column that mean that the old system needs to do nothing more, in any case of letters. */
    public Adoption withFinished(String... statuses) {
        Draft draft = new Draft(this);
        draft.finished = new TreeSet<>();
        for (String status : statuses) {
            draft.finished.add(given("status", status).toLowerCase(Locale.ROOT));
        }
        return new Adoption(draft);
    }

    /** What the mirror writes into the status column: for a finished row, and for one that has failed for good. */
    public Adoption withStatuses(String done, String failed) {
        Draft draft = new Draft(this);
        draft.statusDone = given("done", done);
        draft.statusFailed = given("failed", failed);
        return new Adoption(draft);
    }

    /**
     * How long an old worker keeps a job that it has claimed, if no column has the end of its lease: the imported job starts only
     * after that. 0..1 day, default 5 minutes.
     */
    public Adoption withLease(Duration newLease) {
        if (newLease.isNegative() || newLease.compareTo(LONGEST_LEASE) > 0) {
            throw PostriderException.refused("lease must be PT0S.." + LONGEST_LEASE + ", was " + newLease);
        }
        Draft draft = new Draft(this);
        draft.lease = newLease;
        return new Adoption(draft);
    }

    /** Whether to take over new rows only: they are emitted at once, and existing rows stay with the old system. Default false. */
    public Adoption withNewOnly(boolean only) {
        Draft draft = new Draft(this);
        draft.newOnly = only;
        return new Adoption(draft);
    }

    public String table() {
        return table;
    }

    public @Nullable String topic() {
        return topic;
    }

    public @Nullable String queue() {
        return queue;
    }

    /** By column. */
    public Map<String, String> map() {
        return map;
    }

    public @Nullable String type() {
        return type;
    }

    public @Nullable String order() {
        return order;
    }

    /** In lower case; empty: the usual words. */
    public Set<String> finished() {
        return finished;
    }

    public @Nullable String statusDone() {
        return statusDone;
    }

    public @Nullable String statusFailed() {
        return statusFailed;
    }

    public Duration lease() {
        return lease;
    }

    public boolean newOnly() {
        return newOnly;
    }

    private static String given(String option, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            throw PostriderException.refused(option + " must be given, was " + (value == null ? "null" : "empty"));
        }
        return value;
    }

    /** The options while one of them is being changed. */
    private static final class Draft {
        final String table;

        @Nullable
        String topic;

        @Nullable
        String queue;

        Map<String, String> map = new LinkedHashMap<>();

        @Nullable
        String type;

        @Nullable
        String order;

        Set<String> finished = Set.of();

        @Nullable
        String statusDone;

        @Nullable
        String statusFailed;

        Duration lease = Duration.ofMinutes(5);
        boolean newOnly;

        Draft(String table) {
            this.table = table;
        }

        Draft(Adoption from) {
            this(from.table);
            this.topic = from.topic;
            this.queue = from.queue;
            this.map = new LinkedHashMap<>(from.map);
            this.type = from.type;
            this.order = from.order;
            this.finished = from.finished;
            this.statusDone = from.statusDone;
            this.statusFailed = from.statusFailed;
            this.lease = from.lease;
            this.newOnly = from.newOnly;
        }
    }
}
