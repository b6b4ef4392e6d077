package io.postrider.history;

import io.postrider.Reach;
import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a statement for what is asked and who asks. One that is not asked for is not there at all: with {@code
 * :project is null or …} a plan that is kept could not use the index of projects. Words come from here only, values are always
 * bound. What the reach adds is what the policies demand anyhow: it lets the planner find the index.
 */
final class Wording {
    private static final String CONDITIONS = "true /* conditions */";
    private static final String GROUP = "null::text /* group */";

    /** One statement for each text: the driver's and the server's plans hang on it. */
    private static final Map<String, Sql> KNOWN = new ConcurrentHashMap<>();

    private final List<String> conditions = new ArrayList<>();
    private final List<Bind.Values> values = new ArrayList<>();

    /** The conditions of a selection within a reach. */
    static Wording of(Selection selection, Reach reach) {
        Wording wording = new Wording();
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

    /** The statement of a file, with these conditions, and with a group where the file has a place for one. */
    Sql in(String file, String group) {
        String where = conditions.isEmpty() ? "true" : String.join(" and ", conditions);
        return KNOWN.computeIfAbsent(
                file + ' ' + group + ' ' + where,
                key -> Sql.text(
                        file.substring(file.lastIndexOf('/') + 1),
                        Sql.resource("sql/" + file + ".sql")
                                .replace(CONDITIONS, where)
                                .replace(GROUP, group)));
    }

    Sql in(String file) {
        return in(file, GROUP);
    }

    /** The values of the conditions, and then those of the rest. */
    Bind.Values and(Bind.Values rest) {
        return bind -> {
            for (Bind.Values value : values) {
                value.to(bind);
            }
            rest.to(bind);
        };
    }
}
