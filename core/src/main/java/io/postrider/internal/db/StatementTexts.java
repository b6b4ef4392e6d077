package io.postrider.internal.db;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Caches the text of each statement with the name of the schema: a new string each time would miss the driver's cache. */
final class StatementTexts {
    private final SchemaName schema;
    private final Map<Sql, String> texts = new ConcurrentHashMap<>();

    StatementTexts(SchemaName schema) {
        this.schema = schema;
    }

    String of(Sql sql) {
        return texts.computeIfAbsent(sql, s -> schema.applyTo(s.text()));
    }

    SchemaName schema() {
        return schema;
    }
}
