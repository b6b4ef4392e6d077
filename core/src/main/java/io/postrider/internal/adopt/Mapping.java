package io.postrider.internal.adopt;

import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions.Column;
import io.postrider.admin.Adoptions.Shape;
import io.postrider.internal.adopt.OldTable.OldColumn;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was recognised in a table.
 *
 * @param fields the column of each field that has one
 */
record Mapping(OldTable table, Shape shape, Map<String, OldColumn> fields, Adoption adoption) {
    private static final Sql SPEC = Sql.file("adopt/spec");

    private static final List<String> FINISHED = List.of(
            "published",
            "processed",
            "done",
            "completed",
            "complete",
            "finished",
            "sent",
            "success",
            "succeeded",
            "delivered",
            "cancelled",
            "canceled",
            "skipped");
    private static final List<String> FAILED = List.of("failed", "dead", "error");
    private static final List<String> IN_PROGRESS = List.of(
            "in_progress", "in-progress", "inprogress", "processing", "running", "claimed", "locked", "started");

    /** They identify what a row is about, so they stay in a payload that is made of the row's columns. */
    private static final Set<String> OF_THE_SUBJECT =
            Set.of("key", "aggregate_type", "aggregate_id", "user_id", "project_id");

    /** Whether rows become jobs: if a queue was given, or neither a queue nor a topic and the table has jobs. */
    boolean isJobs() {
        return adoption.queue() != null || adoption.topic() == null && shape == Shape.JOBS;
    }

    /** The topic of the events or the lane of the jobs. */
    String topic() {
        return adoption.queue() != null
                ? "queue:" + adoption.queue()
                : adoption.topic() == null ? "?" : adoption.topic();
    }

    @Nullable
    String target() {
        return adoption.queue() != null
                ? "queue " + adoption.queue()
                : adoption.topic() == null ? null : "topic " + adoption.topic();
    }

    /** The type of all rows; null if a column has it. */
    @Nullable
    String type() {
        if (fields.containsKey("type")) {
            return null;
        }
        String given = adoption.type();
        return given == null
                ? table.name().replaceAll("[^A-Za-z0-9._:/-]", "-").replaceAll("^[^A-Za-z0-9]+", "t")
                : given;
    }

    List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        fields.forEach((field, column) -> columns.add(new Column(column.name(), field, column.type())));
        return columns;
    }

    List<String> ignored() {
        Collection<OldColumn> used = fields.values();
        return fields.containsKey("payload")
                ? names(table.columns().stream()
                        .filter(column -> !used.contains(column))
                        .toList())
                : List.of();
    }

    /** As the trigger and the functions read it: JSON. */
    String spec(Session session) {
        List<String> keys = List.copyOf(fields.keySet());
        List<OldColumn> columns = List.copyOf(fields.values());
        OldColumn id = fields.get("id");
        OldColumn payload = fields.get("payload");
        return session.one(
                        SPEC,
                        bind -> bind.text("source", table.source())
                                .text("kind", isJobs() ? "jobs" : "events")
                                .text("topic", topic())
                                .text("type", type())
                                .text("id_type", idType(id))
                                .text("id_sql", id == null ? null : id.type())
                                .text("payload_type", payload == null ? null : payloadType(payload))
                                .text("lease", adoption.lease().toMillis() + " milliseconds")
                                .text("order", adoption.order())
                                .text(
                                        "status_done",
                                        status(adoption.statusDone(), FINISHED, isJobs() ? "DONE" : "published"))
                                .text(
                                        "status_failed",
                                        status(adoption.statusFailed(), FAILED, isJobs() ? "FAILED" : "failed"))
                                .texts("fields", keys)
                                .texts("columns", names(columns))
                                .texts(
                                        "types",
                                        columns.stream().map(OldColumn::type).toList())
                                .texts(
                                        "local_times",
                                        names(columns.stream()
                                                .filter(OldColumn::isLocalTime)
                                                .toList()))
                                .texts("not_payload", notPayload())
                                .texts("finished", finished())
                                .texts("in_progress", IN_PROGRESS),
                        row -> row.text("spec"))
                .orElseThrow();
    }

    private static String idType(@Nullable OldColumn id) {
        return id != null && id.base().equals("uuid") ? "uuid" : id != null && id.isInteger() ? "number" : "other";
    }

    private static String payloadType(OldColumn payload) {
        return payload.isJson() ? "json" : payload.isText() ? "text" : "bytea";
    }

    /** A job that has failed for good is finished. A failed event is not: nobody has received it. */
    private List<String> finished() {
        if (!adoption.finished().isEmpty()) {
            return List.copyOf(adoption.finished());
        }
        List<String> words = new ArrayList<>(FINISHED);
        if (isJobs()) {
            words.addAll(FAILED);
        }
        return words;
    }

    private List<String> notPayload() {
        List<String> names = new ArrayList<>();
        fields.forEach((field, column) -> {
            if (!OF_THE_SUBJECT.contains(field)) {
                names.add(column.name());
            }
        });
        return names;
    }

    /** What the mirror writes: what was given, a label of the enum, or the usual word in the case of the column's default. */
    private String status(@Nullable String given, List<String> words, String usual) {
        OldColumn column = fields.get("status");
        if (given != null || column == null) {
            return given == null ? usual : given;
        }
        for (String word : words) {
            for (String label : column.labels()) {
                if (label.equalsIgnoreCase(word)) {
                    return label;
                }
            }
        }
        String byDefault = column.byDefault() == null ? "" : column.byDefault().replaceAll("::.*", "");
        return byDefault.matches(".*[a-z].*")
                ? usual.toLowerCase(java.util.Locale.ROOT)
                : byDefault.matches(".*[A-Z].*") ? usual.toUpperCase(java.util.Locale.ROOT) : usual;
    }

    private static List<String> names(List<OldColumn> columns) {
        return columns.stream().map(OldColumn::name).toList();
    }
}
