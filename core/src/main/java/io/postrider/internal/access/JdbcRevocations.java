package io.postrider.internal.access;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Revocations;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The revoked tokens in the database. Thread-safe. */
public final class JdbcRevocations implements Revocations {
    private static final Sql REVOKE = Sql.file("access/revoke");
    private static final Sql AMONG = Sql.file("access/revoked_among");
    private static final Sql LIST = Sql.file("access/revoked");
    private static final int LONGEST = 1_024;

    private final Database database;

    public JdbcRevocations(Database database) {
        this.database = database;
    }

    @Override
    public void revoke(String jti, Instant expiresAt, @Nullable String why) {
        refuseOutside(jti);
        String reason = why == null ? "" : why;
        Answer answer = database.statement(session -> session.one(
                        REVOKE,
                        bind -> bind.text("jti", jti)
                                .instant("expires_at", expiresAt)
                                .text("why", reason.substring(0, Math.min(reason.length(), LONGEST / 4)))
                                .int4("most", MOST),
                        row -> Answer.of(row.text("fate"))))
                .orElseThrow();
        if (answer == Answer.EXPIRED) {
            throw PostriderException.refused("expires_at must be in the future, was " + expiresAt
                    + "; pass the token's exp (an expired token is rejected anyway)");
        }
        if (answer == Answer.FULL) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "the token was not revoked: the list already has " + MOST + " unexpired tokens, which is the limit;"
                            + " replace the signing key instead");
        }
    }

    /** What revoke.sql answers. */
    private enum Answer {
        REVOKED,
        /** The token has expired already. */
        EXPIRED,
        /** The limit of revoked tokens is reached. */
        FULL;

        static Answer of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    @Override
    public boolean isRevoked(String jti) {
        return !among(List.of(jti)).isEmpty();
    }

    @Override
    public Set<String> among(Collection<String> jtis) {
        if (jtis.isEmpty()) {
            return Set.of();
        }
        return new HashSet<>(database.autocommit(
                session -> session.query(AMONG, bind -> bind.texts("jtis", jtis), row -> row.text("jti"))));
    }

    @Override
    public List<Revoked> list(int most) {
        return database.autocommit(session -> list(session, most));
    }

    @Override
    public List<Revoked> list(Connection connection, int most) {
        return list(database.onKept(connection), most);
    }

    private static List<Revoked> list(Session session, int most) {
        return session.query(
                LIST,
                bind -> bind.int4("most", most),
                row -> new Revoked(
                        row.text("jti"), row.instant("expires_at"), row.instant("revoked_at"), row.text("why")));
    }

    private static void refuseOutside(String jti) {
        if (jti.isEmpty() || jti.length() > LONGEST / 4 || jti.indexOf('\0') >= 0) {
            throw PostriderException.refused(
                    "jti must have 1.." + LONGEST / 4 + " characters and no NUL, had " + jti.length());
        }
    }
}
