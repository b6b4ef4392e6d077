package io.postrider.access;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Reach;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.db.SqlState;
import java.util.Locale;

/**
 * A transaction that reads within a reach, and cannot do anything else. The reach is told to the database by settings that end
 * with the transaction, so that a connection goes back to its pool as it came; the database then gives no row outside of it,
 * whatever the statement says. Where it would not hold to that, nothing is read.
 */
public final class Scope {
    private static final Sql ENTER = Sql.call("enter", "select postrider.enter(:reach, :project, :user) as active");
    private static final Sql OWN =
            Sql.call("own_reach", "select pg_catalog.set_config('postrider.reach', 'all', true) as reach");

    /** What a statement gets that was cancelled because it took too long. */
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
                        Kind.REFUSED, "this takes longer than a read may; narrow the time, or what is asked for", e);
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
                    "row-level security does not hold for this role, a superuser or one with BYPASSRLS, so nothing is read;"
                            + " run `postrider migrate` as a role that may create the reader's role, or connect as another");
        }
    }

    /** The house's own transaction has everything in reach from here on, and may write; as the role that it is. */
    public static void own(Session session) {
        session.query(OWN, Bind::nothing, row -> row.text("reach"));
    }
}
