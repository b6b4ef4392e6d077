package io.postrider.internal.history;

import io.postrider.Reach;
import io.postrider.admin.EventFilter;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a statement, from a filter and a reach. A missing condition is left out of the SQL: with
 * {@code :project is null or …} a cached plan could not use the index on projects. The SQL text comes only from this class;
 * values are always bound. The condition that the reach adds repeats what the row-level security policies enforce: it lets the
 * planner find the index.
 */
final class ReadConditions {
    private static final String CONDITIONS = "true /* conditions */";
    private static final String GROUP = "null::text /* group */";

    /** One statement per SQL text, because the driver and the server cache plans by it. */
    private static final Map<String, Sql> KNOWN = new ConcurrentHashMap<>();

    private final List<String> conditions = new ArrayList<>();
    private final List<Bind.Values> values = new ArrayList<>();

    /** The conditions of a filter within a reach. */
    static ReadConditions of(EventFilter selection, Reach reach) {
        ReadConditions wording = new ReadConditions();
        wording.equal("topic", "topic", selection.topic());
        wording.equal("event_type", "type", selection.type());
        wording.equal("project_id", "project", selection.projectId());
        wording.equal("user_id", "user", selection.userId());
        wording.equal("aggregate_type", "aggregate_type", selection.aggregateType());
        wording.equal("aggregate_id", "aggregate_id", selection.aggregateId());
        if (reach.kind() == Reach.Kind.PROJECT) {
            wording.equal("project_id", "reach_project", reach.project());
        } else if (reach.kind() == Reach.Kind.USER) {
            wording.equal("user_id", "reach_user", reach.user());
        }
        return wording;
    }

    private void equal(String column, String parameter, @Nullable String value) {
        if (value != null) {
            conditions.add("e." + column + " = :" + parameter);
            values.add(bind -> bind.text(parameter, value));
        }
    }

    /** The statement of a file with these conditions, and with a grouping if the file has a placeholder for it. */
    Sql in(String file, String group) {
        String where = conditions.isEmpty() ? "true" : String.join(" and ", conditions);
        return KNOWN.computeIfAbsent(
                file + ' ' + group + ' ' + where,
                key -> Sql.text(
                        file,
                        Sql.resource("sql/" + file + ".sql")
                                .replace(CONDITIONS, where)
                                .replace(GROUP, group)));
    }

    Sql in(String file) {
        return in(file, GROUP);
    }

    /** Binds the values of the conditions, then the others. */
    Bind.Values and(Bind.Values rest) {
        return bind -> {
            for (Bind.Values value : values) {
                value.to(bind);
            }
            rest.to(bind);
        };
    }
}
