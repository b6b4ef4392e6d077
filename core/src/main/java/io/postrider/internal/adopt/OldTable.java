package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table that is adopted: its name and its columns.
 *
 * @param source {@code schema.table}, quoted where needed
 * @param name without the schema
 */
record OldTable(String source, String name, List<OldColumn> columns) {
    private static final Sql TABLE = Sql.file("adopt/table");
    private static final Sql COLUMNS = Sql.file("adopt/columns");

    /**
     * A column.
     *
     * @param base its type without a modifier; that of a domain is the type behind it
     * @param labels of an enum
     * @param byDefault the expression of its default
     */
    record OldColumn(
            String name,
            String base,
            String type,
            List<String> labels,
            boolean isUnique,
            boolean hasJsonCast,
            @Nullable String byDefault) {
        boolean isTime() {
            return base.startsWith("timestamp") || base.equals("date");
        }

        boolean isLocalTime() {
            return base.equals("timestamp without time zone") || base.equals("date");
        }

        boolean isInteger() {
            return base.equals("smallint") || base.equals("integer") || base.equals("bigint");
        }

        boolean isText() {
            return base.equals("text") || base.startsWith("character");
        }

        boolean isJson() {
            return base.equals("json") || base.equals("jsonb");
        }
    }

    /** What the catalogue says of a relation. */
    private record Found(String source, String kind, boolean isPartition, Rights rights) {}

    private record Rights(String owner, String role, boolean owned, boolean mayAttach, boolean ours) {}

    /** Finds a table that may be adopted, and refuses everything else in one line. */
    static OldTable find(Session session, String text) {
        TableName name = TableName.parse(text);
        Found found = session.one(
                        TABLE,
                        bind -> bind.text("schema", name.schema()).text("table", name.table()),
                        row -> new Found(
                                row.text("source"),
                                row.text("kind"),
                                row.bool("is_partition"),
                                new Rights(
                                        row.text("owner"),
                                        row.text("role"),
                                        row.bool("owned"),
                                        row.bool("may_attach"),
                                        row.bool("ours"))))
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND, "no table " + name.table() + " in schema " + name.schema()));
        refuseOthers(found);
        return new OldTable(found.source(), name.table(), columns(session, found.source()));
    }

    private static void refuseOthers(Found found) {
        String what = switch (found.kind()) {
            case "p" -> "is partitioned";
            case "v", "m" -> "is a view";
            case "f" -> "is a foreign table";
            default -> found.isPartition() ? "is a partition" : found.rights().ours() ? "is a table of Postrider" : "";
        };
        if (!what.isEmpty()) {
            throw PostriderException.refused(found.source() + " " + what + "; only an ordinary table can be adopted");
        }
        if (!found.rights().owned()) {
            throw PostriderException.refused("role " + found.rights().role() + " does not own " + found.source()
                    + "; connect as " + found.rights().owner() + " or a member of it");
        }
        if (!found.rights().mayAttach()) {
            throw PostriderException.refused("role " + found.rights().role()
                    + " may not use the bridge; run `grant execute on function postrider.adopt_bridge() to "
                    + found.rights().role() + "`, or connect as the role that owns the schema");
        }
    }

    private static List<OldColumn> columns(Session session, String source) {
        return session.query(
                COLUMNS,
                bind -> bind.text("source", source),
                row -> new OldColumn(
                        row.text("name"),
                        row.text("base"),
                        row.text("type"),
                        row.texts("labels"),
                        row.bool("is_unique"),
                        row.bool("has_json_cast"),
                        row.textOrNull("by_default")));
    }
}
