package io.postrider.internal.schema;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;

/** The requirements for a server: a tested version, a primary, and UTF8. */
public final class DatabaseCheck {
    private static final Sql SERVER = Sql.file("schema/server");

    /** xid8 and pg_current_snapshot have existed since 13; 14 is the oldest version that is still maintained and tested here. */
    public static final int OLDEST = 140_000;

    private DatabaseCheck() {}

    /** Refuses an unsupported server, with advice. */
    public static void requireServer(Session session, SchemaName schema) {
        record Server(
                int version, String text, boolean standby, String encoding, boolean plainSchema, boolean readOnly) {}
        Server server = session.one(
                        SERVER,
                        bind -> bind.text("schema", schema.text()),
                        row -> new Server(
                                row.int4("version"),
                                row.text("version_text"),
                                row.bool("standby"),
                                row.text("encoding"),
                                row.bool("plain_schema"),
                                row.bool("read_only")))
                .orElseThrow();
        requireVersion(server.version(), server.text());
        if (server.standby()) {
            throw new PostriderException(
                    Kind.CONFLICT, "this server is a standby; Postrider must be connected to the primary");
        }
        if (server.readOnly()) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "transactions are read only here (default_transaction_read_only = on); Postrider must write");
        }
        if (!server.encoding().equals("UTF8")) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "the database's encoding is " + server.encoding() + "; Postrider needs UTF8, as JSON does");
        }
        if (!server.plainSchema()) {
            throw PostriderException.refused(
                    "schema '" + schema.text() + "' is a reserved word of SQL; choose another");
        }
    }

    /** @param version the value of the setting server_version_num */
    static void requireVersion(int version, String text) {
        if (version < OLDEST) {
            throw new PostriderException(
                    Kind.CONFLICT, "PostgreSQL " + text + " is too old; Postrider needs 14 or newer");
        }
    }
}
