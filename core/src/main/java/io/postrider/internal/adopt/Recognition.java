package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions.Shape;
import io.postrider.internal.adopt.OldTable.OldColumn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Recognises what the columns of a table mean, by their names and types and by what the operator has mapped. */
final class Recognition {
    /** The usual names of each field, the most likely first. */
    private static final Map<String, List<String>> USUAL = usual();

    private static final Set<String> TIMES =
            Set.of("created_at", "processed_at", "run_at", "retry_at", "claimed_at", "lease_expires_at");

    private final OldTable table;
    private final Adoption adoption;
    private final Map<String, OldColumn> fields = new LinkedHashMap<>();

    private Recognition(OldTable table, Adoption adoption) {
        this.table = table;
        this.adoption = adoption;
    }

    private static Map<String, List<String>> usual() {
        Map<String, List<String>> usual = new LinkedHashMap<>();
        usual.put("id", List.of("id", "event_id", "message_id", "job_id", "outbox_id"));
        usual.put("type", List.of("event_type", "job_type", "type", "event_name", "message_type"));
        usual.put("payload", List.of("payload", "data", "body", "event_data", "args"));
        usual.put("key", List.of("key", "item_id", "partition_key", "message_key", "event_key"));
        usual.put("aggregate_type", List.of("aggregate_type", "aggregatetype"));
        usual.put("aggregate_id", List.of("aggregate_id", "aggregateid"));
        usual.put("user_id", List.of("user_id"));
        usual.put("project_id", List.of("project_id"));
        usual.put("headers", List.of("headers", "metadata"));
        usual.put("created_at", List.of("created_at", "occurred_at", "inserted_at", "enqueued_at"));
        usual.put(
                "processed_at",
                List.of(
                        "processed_at",
                        "published_at",
                        "sent_at",
                        "dispatched_at",
                        "delivered_at",
                        "completed_at",
                        "finished_at"));
        usual.put("processed", List.of("processed", "published", "sent", "dispatched", "is_processed"));
        usual.put("status", List.of("status", "state"));
        usual.put("attempts", List.of("attempt_count", "retry_count", "attempts", "retries"));
        usual.put("run_at", List.of("run_at", "scheduled_at", "available_at", "process_after"));
        usual.put("retry_at", List.of("next_retry_at", "retry_at", "next_attempt_at"));
        usual.put("claimed_at", List.of("claimed_at", "locked_at", "started_at"));
        usual.put("locked_by", List.of("locked_by", "claimed_by", "worker_id"));
        usual.put("lease_expires_at", List.of("lease_expires_at", "locked_until", "lease_until"));
        usual.put("last_error", List.of("last_error", "last_error_message", "error_message", "error"));
        usual.put("last_error_code", List.of("last_error_code", "error_code"));
        return usual;
    }

    /** @throws PostriderException of kind REFUSED, in one line, if the table cannot be adopted like this */
    static Mapping of(OldTable table, Adoption adoption) {
        Recognition recognition = new Recognition(table, adoption);
        recognition.mapGiven();
        recognition.mapUsual();
        recognition.refuseUnusable();
        return new Mapping(table, recognition.shape(), recognition.fields, adoption);
    }

    private void mapGiven() {
        adoption.map().forEach((name, field) -> {
            OldColumn column = column(name);
            if (field.equals("ignore")) {
                return;
            }
            if (fields.containsKey(field)) {
                throw PostriderException.refused("field " + field + " is mapped twice, to column "
                        + fields.get(field).name() + " and to column " + name);
            }
            if (!fits(field, column)) {
                throw PostriderException.refused("column " + name + " of " + table.source() + " has type "
                        + column.type() + " and cannot be " + field);
            }
            fields.put(field, column);
        });
    }

    private void mapUsual() {
        USUAL.forEach((field, names) -> {
            if (!fields.containsKey(field)) {
                names.stream()
                        .filter(name -> !adoption.map().containsKey(name))
                        .flatMap(name -> find(name).stream())
                        .filter(column -> fits(field, column))
                        .findFirst()
                        .ifPresent(column -> fields.put(field, column));
            }
        });
    }

    private static boolean fits(String field, OldColumn column) {
        Predicate<OldColumn> fitting = switch (field) {
            case "id" ->
                one -> one.base().equals("uuid")
                        || one.isInteger()
                        || one.isText()
                        || one.base().equals("numeric");
            case "payload" -> one -> one.isJson() || one.isText() || one.base().equals("bytea");
            case "headers" -> OldColumn::isJson;
            case "processed" -> one -> one.base().equals("boolean");
            case "attempts" -> OldColumn::isInteger;
            case "last_error" -> OldColumn::isText;
            default -> TIMES.contains(field) ? OldColumn::isTime : one -> true;
        };
        return fitting.test(column);
    }

    private void refuseUnusable() {
        OldColumn id = fields.get("id");
        if (id == null || shapeOrNone().isEmpty()) {
            throw PostriderException.refused(table.source() + " is not recognised as an outbox or a job table; map its"
                    + " columns with --map column=field (columns: " + names() + "; fields: "
                    + String.join(", ", Adoption.FIELDS) + ")");
        }
        if (!id.isUnique()) {
            throw PostriderException.refused("column " + id.name() + " of " + table.source()
                    + " is not unique by itself; add a primary key or a unique index, or map another column to id");
        }
        String order = adoption.order();
        if (order != null) {
            column(order);
        }
        table.columns().stream().filter(OldColumn::hasJsonCast).findFirst().ifPresent(column -> {
            throw PostriderException.refused(
                    "column " + column.name() + " of " + table.source() + " has type " + column.type()
                            + " with its own cast to json, which the bridge would run with the rights of Postrider");
        });
    }

    private Shape shape() {
        return shapeOrNone().orElseThrow();
    }

    private Optional<Shape> shapeOrNone() {
        boolean typed = fields.containsKey("type");
        if (fields.containsKey("status")) {
            return Optional.of(isClaimed() ? Shape.JOBS : Shape.STATUS);
        }
        if (fields.containsKey("processed_at") || fields.containsKey("processed")) {
            return Optional.of(Shape.FLAG);
        }
        if (typed && fields.containsKey("payload")) {
            return Optional.of(Shape.DELETE);
        }
        return adoption.map().isEmpty() ? Optional.empty() : Optional.of(Shape.MAPPED);
    }

    /** Workers claim its rows: a column says who has a row, since when or until when, or how often it was tried. */
    private boolean isClaimed() {
        return find("event_type").isEmpty()
                && (fields.containsKey("claimed_at")
                        || fields.containsKey("locked_by")
                        || fields.containsKey("lease_expires_at")
                        || find("job_type").isPresent()
                        || find("attempt_count").isPresent());
    }

    private OldColumn column(String name) {
        return find(name)
                .orElseThrow(() ->
                        PostriderException.refused(table.source() + " has no column " + name + "; it has " + names()));
    }

    private Optional<OldColumn> find(String name) {
        return table.columns().stream()
                .filter(column -> column.name().equals(name))
                .findFirst();
    }

    private String names() {
        return table.columns().stream().map(OldColumn::name).collect(Collectors.joining(", "));
    }
}
