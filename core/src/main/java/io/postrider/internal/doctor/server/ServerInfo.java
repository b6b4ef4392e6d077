package io.postrider.internal.doctor.server;

import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.CheckContext;

/** Properties of the server, for the first checks. */
public record ServerInfo(
        int version, String text, boolean standby, boolean readOnly, String encoding, boolean plainSchema) {
    private static final Sql SERVER = Sql.file("schema/server");

    public static ServerInfo of(CheckContext examination) {
        return examination
                .one(
                        SERVER,
                        bind -> bind.text(
                                "schema", examination.database().schema().text()),
                        row -> new ServerInfo(
                                row.int4("version"),
                                row.text("version_text"),
                                row.bool("standby"),
                                row.bool("read_only"),
                                row.text("encoding"),
                                row.bool("plain_schema")))
                .orElseThrow();
    }
}
