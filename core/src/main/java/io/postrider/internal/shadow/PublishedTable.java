package io.postrider.internal.shadow;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Publisher;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The outbox table of another publisher: which of its rows are published, in which order, with which payload. */
final class PublishedTable {
    private static final Sql COLUMNS = Sql.file("shadow/columns");
    private static final int AT_ONCE = 10_000;
    private static final int FETCH = 1_000;
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F-]{36}");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");

    private final Database database;

    PublishedTable(Database database) {
        this.database = database;
    }

    /** The table as the catalogue has it: its name, qualified and quoted, and the types of its columns. */
    private record Found(String name, Map<String, String> types) {
        String column(String column) {
            return "t." + Quoted.name(column);
        }
    }

    /** Passes on the published rows. Returns whether they are in the order of publishing. */
    boolean read(Publisher.Table table, List<Recorded> recorded, Consumer<Seen> to) {
        Found found = find(table);
        List<String> ids = ids(found, table, recorded);
        boolean deleted = table.published().equals("deleted");
        Set<String> present = new HashSet<>();
        for (int i = 0; i < ids.size(); i += AT_ONCE) {
            List<String> some = ids.subList(i, Math.min(ids.size(), i + AT_ONCE));
            if (table.order() == null) {
                readRows(found, table, some, deleted ? row -> present.add(row.id()) : to);
            }
        }
        if (deleted) {
            recorded.stream()
                    .filter(one -> !present.contains(one.event().toString()) && !present.contains(one.otherId()))
                    .forEach(one ->
                            to.accept(new Seen("", one.event().toString(), MessageHash.UNKNOWN, MessageHash.UNKNOWN)));
        } else if (table.order() != null) {
            readInOrder(found, table, table.order(), ids, to);
        }
        return table.order() != null;
    }

    private Found find(Publisher.Table table) {
        record Column(String name, String type, String table, boolean readable) {}
        int dot = table.table().indexOf('.');
        @Nullable String schema = dot < 0 ? null : table.table().substring(0, dot);
        List<Column> columns = database.autocommit(session -> session.query(
                COLUMNS,
                bind -> bind.text("schema", schema).text("table", table.table().substring(dot + 1)),
                row -> new Column(
                        row.text("name"),
                        row.text("type"),
                        Quoted.name(row.text("schema")) + "." + Quoted.name(row.text("table")),
                        row.bool("readable"))));
        if (columns.isEmpty()) {
            throw new PostriderException(Kind.NOT_FOUND, "no table " + table.table() + " in this database");
        }
        List<String> names = columns.stream().map(Column::table).distinct().toList();
        if (names.size() > 1) {
            throw PostriderException.refused("table " + table.table() + " is ambiguous: " + names
                    + "; name its schema, such as public." + table.table());
        }
        if (!columns.get(0).readable()) {
            throw new PostriderException(
                    Kind.CONFLICT, "this role may not read table " + table.table() + "; grant select on it");
        }
        Map<String, String> types = new LinkedHashMap<>();
        columns.forEach(column -> types.put(column.name(), column.type()));
        List<@Nullable String> needed = new ArrayList<>(List.of(table.id()));
        if (!table.published().equals("deleted")) {
            needed.add(table.published());
        }
        needed.add(table.order());
        needed.add(table.payload());
        for (@Nullable String column : needed) {
            if (column != null && !types.containsKey(column)) {
                throw PostriderException.refused(
                        "table " + table.table() + " has no column " + column + "; it has " + types.keySet());
            }
        }
        return new Found(columns.get(0).table(), types);
    }

    /** The ids of the recorded events that can be values of the id column. */
    private static List<String> ids(Found found, Publisher.Table table, List<Recorded> recorded) {
        String type = String.valueOf(found.types().get(table.id()));
        Pattern form = type.equals("uuid")
                ? UUID_TEXT
                : type.matches("bigint|integer|smallint|numeric.*") ? NUMBER : Pattern.compile("(?s).*");
        List<String> ids = new ArrayList<>();
        for (Recorded one : recorded) {
            String event = one.event().toString();
            if (form.matcher(event).matches()) {
                ids.add(event);
            }
            String other = one.otherId();
            if (other != null && !other.equals(event) && form.matcher(other).matches()) {
                ids.add(other);
            }
        }
        return ids;
    }

    private String isPublished(Found found, Publisher.Table table) {
        String column = found.column(table.published());
        return table.published().equals("deleted")
                ? "true"
                : table.values().isEmpty() ? column + " is not null" : column + "::text = any (:values::text[])";
    }

    private static String payload(Found found, Publisher.Table table) {
        return table.payload() == null ? "null::text" : found.column(table.payload()) + "::text";
    }

    private static String hasId(Found found, Publisher.Table table) {
        return found.column(table.id()) + " = any (:ids::" + found.types().get(table.id()) + "[])";
    }

    private void readRows(Found found, Publisher.Table table, List<String> ids, Consumer<Seen> to) {
        Sql sql = Sql.text(
                "shadow/published_rows",
                "select " + found.column(table.id()) + "::text as id, " + payload(found, table) + " as payload from "
                        + found.name() + " t where " + hasId(found, table) + " and " + isPublished(found, table));
        read(sql, table, ids, to);
    }

    private void readInOrder(Found found, Publisher.Table table, String order, List<String> ids, Consumer<Seen> to) {
        String column = found.column(order);
        Sql sql = Sql.text(
                "shadow/published_in_order",
                "with around as (select min(" + column + ") as low, max(" + column + ") as high from " + found.name()
                        + " t where " + hasId(found, table) + " and " + isPublished(found, table) + ")"
                        + " select " + found.column(table.id()) + "::text as id, " + payload(found, table)
                        + " as payload from " + found.name() + " t, around a where " + column
                        + " between a.low and a.high and " + isPublished(found, table) + " order by " + column + ", "
                        + found.column(table.id()) + " limit " + SinkReading.MOST);
        read(sql, table, ids, to);
    }

    private void read(Sql sql, Publisher.Table table, List<String> ids, Consumer<Seen> to) {
        database.transaction(session -> {
            session.each(
                    sql,
                    bind -> {
                        bind.texts("ids", ids);
                        if (!table.values().isEmpty()) {
                            bind.texts("values", table.values());
                        }
                    },
                    FETCH,
                    row -> {
                        @Nullable String payload = row.textOrNull("payload");
                        return new Seen(
                                "",
                                row.text("id"),
                                MessageHash.UNKNOWN,
                                payload == null ? MessageHash.UNKNOWN : MessageHash.of(payload));
                    },
                    to);
            return true;
        });
    }
}
