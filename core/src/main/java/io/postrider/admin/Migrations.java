package io.postrider.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Installs, updates and removes the schema. Thread-safe. */
public interface Migrations {
    /** Every migration that this version knows, in order: {@code V001__log} and so on. */
    List<String> known();

    /**
     * Compares the schema with this version. Read-only.
     *
     * @throws io.postrider.PostriderException of kind CONFLICT if this version cannot use the server, or the schema is newer
     */
    Plan plan();

    /**
     * The statements that {@link #migrate()} would run, in order; empty if the schema is up to date. Read-only.
     *
     * @throws io.postrider.PostriderException of kind CONFLICT if this version cannot use the server, or the schema is newer
     */
    List<Statement> statements();

    /**
     * Brings the schema up to date in one transaction, under a lock. Raises a payload cap that is lower than that of the options;
     * keeps a higher one.
     */
    Done migrate();

    /** The same, and sets the payload cap of the schema to exactly this many bytes. */
    Done migrate(int payloadCap);

    /**
     * Refuses a server or a schema that this version cannot use, as {@link io.postrider.Postrider#start} does.
     *
     * @throws io.postrider.PostriderException of kind CONFLICT, with what to do
     */
    void requireUsable();

    /**
     * Refuses a schema that is missing, older or newer than this version needs.
     *
     * @throws io.postrider.PostriderException of kind CONFLICT, with what to do
     */
    void requireCurrent();

    /**
     * What {@link #uninstall()} would remove. Read-only.
     *
     * @throws io.postrider.PostriderException of kind NOT_FOUND if the schema is missing
     */
    Uninstall uninstallPlan();

    /**
     * Removes everything that {@link #migrate()} has created, in one transaction: the schema with all events and jobs, what
     * depends on it, and the role that reads the event log.
     *
     * @throws io.postrider.PostriderException of kind NOT_FOUND if the schema is missing; of kind CONFLICT if a node runs on it
     */
    Uninstall uninstall();

    /** The longest payload in bytes that the schema accepts; null if the schema is missing. */
    @Nullable
    Integer payloadCap();

    /**
     * The difference between the schema and this version.
     *
     * @param version the version of the schema; 0 if it is missing
     * @param missing the versions that {@link #migrate()} would apply
     * @param payloadCap the longest payload in bytes that the schema accepts; null if it is missing
     */
    record Plan(
            int version, List<Integer> missing, @Nullable Integer payloadCap) {}

    /**
     * One statement of a migration.
     *
     * @param migration the migration, such as {@code V001__log}; for a function or view its file, such as {@code functions/emit}
     * @param text the SQL; for a function its first line
     * @param locks the locks that it takes on tables and views, such as {@code ACCESS EXCLUSIVE on postrider.queue}. A lock on a
     *     table that the same migration creates does not matter to others
     */
    record Statement(String migration, String text, List<String> locks) {}

    /**
     * What removing the schema affects.
     *
     * @param schema the schema, with all its content
     * @param role the role that reads the event log; null if it does not exist
     * @param dependents objects outside the schema that depend on it and are dropped with it
     * @param roleKept why the role was not dropped; null if it was, or if this is a plan
     */
    record Uninstall(
            String schema,
            @Nullable String role,
            List<String> dependents,
            @Nullable String roleKept) {}

    /**
     * What a migration did.
     *
     * @param applied the versions that it applied
     * @param functionsReplaced whether it replaced functions and views
     */
    record Done(List<Integer> applied, boolean functionsReplaced) {
        /** Whether the schema was up to date. */
        public boolean isNothing() {
            return applied.isEmpty() && !functionsReplaced;
        }
    }
}
