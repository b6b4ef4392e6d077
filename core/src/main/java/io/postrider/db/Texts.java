package io.postrider.db;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The text of each statement with the schema's name in it, made once: a new string each time would miss the driver's cache. */
final class Texts {
    private final SchemaName schema;
    private final Map<Sql, String> texts = new ConcurrentHashMap<>();

    Texts(SchemaName schema) {
        this.schema = schema;
    }

    String of(Sql sql) {
        return texts.computeIfAbsent(sql, s -> schema.applyTo(s.text()));
    }

    SchemaName schema() {
        return schema;
    }
}
