package io.postrider.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Installs and updates the schema. Thread-safe. */
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
