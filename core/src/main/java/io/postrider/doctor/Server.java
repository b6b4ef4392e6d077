package io.postrider.doctor;

import io.postrider.db.Sql;

/** What the first checks want to know about the server. */
record Server(int version, String text, boolean standby, boolean readOnly, String encoding, boolean plainSchema) {
    private static final Sql SERVER = Sql.file("schema/server");

    static Server of(Examination examination) {
        return examination
                .one(
                        SERVER,
                        bind -> bind.text(
                                "schema", examination.database().schema().text()),
                        row -> new Server(
                                row.int4("version"),
                                row.text("version_text"),
                                row.bool("standby"),
                                row.bool("read_only"),
                                row.text("encoding"),
                                row.bool("plain_schema")))
                .orElseThrow();
    }
}
