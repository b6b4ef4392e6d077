package io.postrider.internal.access;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Reach;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.util.Locale;

/**
 * A read-only transaction that is limited to a reach. Settings that end with the transaction pass the reach to the database, so a
 * connection returns to its pool unchanged. Row-level security then hides every row outside the reach, whatever the statement
 * says. If row-level security does not apply to the role, nothing is read.
 */
public final class Scope {
    private static final Sql ENTER =
            Sql.call("access/enter", "select postrider.enter(:reach, :project, :user) as active");
    private static final Sql OWN =
            Sql.call("access/own_reach", "select pg_catalog.set_config('postrider.reach', 'all', true) as reach");

    /** The SQLSTATE of a statement that was cancelled because it took too long. */
    private static final String CANCELLED = "57014";

    private Scope() {}

    /** Reads within a reach. */
    public static <T> T read(Database database, Reach reach, Database.Work<T> work) {
        try {
            return database.transaction(session -> {
                enter(session, reach);
                return work.on(session);
            });
        } catch (PostriderException e) {
            if (SqlState.of(e).equals(CANCELLED)) {
                throw new PostriderException(
                        Kind.REFUSED, "the read timed out; choose a shorter time range or a narrower filter", e);
            }
            throw e;
        }
    }

    private static void enter(Session session, Reach reach) {
        boolean active = session.one(
                        ENTER,
                        bind -> bind.text("reach", reach.kind().name().toLowerCase(Locale.ROOT))
                                .text("project", reach.project())
                                .text("user", reach.user()),
                        row -> row.bool("active"))
                .orElse(false);
        if (!active) {
            throw new PostriderException(
                    Kind.FAILED,
                    "row-level security does not apply to this role (superuser or BYPASSRLS), so reads are refused;"
                            + " run `postrider migrate` as a role that may create the reader role, or connect as a role"
                            + " without these rights");
        }
    }

    /** Puts everything in reach for the rest of an internal transaction, which may write and keeps its role. */
    public static void own(Session session) {
        session.query(OWN, Bind::nothing, row -> row.text("reach"));
    }
}
