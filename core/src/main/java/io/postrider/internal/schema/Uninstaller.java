package io.postrider.internal.schema;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Migrations.Uninstall;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Removes everything that a migration has created: the schema with all its content, and the reader role. */
final class Uninstaller {
    private static final Sql READER = Sql.file("schema/reader");
    private static final Sql NODES = Sql.file("schema/running_nodes");
    private static final Sql DEPENDENTS = Sql.file("schema/dependents");

    private final Database database;

    Uninstaller(Database database) {
        this.database = database;
    }

    /** What {@link #run} would remove. */
    Uninstall plan() {
        return database.autocommit(this::plan);
    }

    private Uninstall plan(Session session) {
        if (!Migrator.isInstalled(session)) {
            throw new PostriderException(
                    Kind.NOT_FOUND,
                    "there is no schema " + database.schema().text() + " of Postrider in this database");
        }
        return new Uninstall(
                database.schema().text(),
                reader(session),
                session.query(DEPENDENTS, Bind::nothing, row -> row.text("dependent")),
                null);
    }

    private static @Nullable String reader(Session session) {
        return session.one(READER, Bind::nothing, row -> row.text("role")).orElse(null);
    }

    /** Removes it, in one transaction. */
    Uninstall run() {
        return database.transaction(session -> {
            Uninstall plan = plan(session);
            refuseNodes(session);
            session.script("uninstall", "set local lock_timeout = '10s'; drop schema postrider cascade");
            String kept = plan.role() == null ? null : dropRole(session, plan.role());
            return new Uninstall(plan.schema(), plan.role(), plan.dependents(), kept);
        });
    }

    private static void refuseNodes(Session session) {
        List<String> nodes = session.query(NODES, Bind::nothing, row -> row.text("node"));
        if (!nodes.isEmpty()) {
            throw new PostriderException(
                    Kind.CONFLICT, "nodes are running: " + String.join(", ", nodes) + "; stop them first");
        }
    }

    /** Null; or why the role stays: it has rights elsewhere, or we may not drop it. The schema is removed all the same. */
    private static @Nullable String dropRole(Session session, String role) {
        session.script("uninstall_role", "savepoint uninstall_role");
        try {
            session.script("uninstall_role", "drop role \"" + role.replace("\"", "\"\"") + "\"");
            return null;
        } catch (PostriderException e) {
            String state = SqlState.of(e);
            if (!state.equals("2BP01") && !SqlState.isForbidden(state)) {
                throw e;
            }
            session.script("uninstall_role", "rollback to savepoint uninstall_role");
            return e.getMessage();
        }
    }
}
