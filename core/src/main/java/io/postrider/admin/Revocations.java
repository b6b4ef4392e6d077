package io.postrider.admin;

import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Revokes tokens before they expire. A token is identified by its id, {@code jti}. Thread-safe. */
public interface Revocations {
    /** The maximum number of unexpired revoked tokens: every node holds them in memory to check each token. */
    int MOST = 100_000;

    /**
     * Revokes a token. Idempotent. Refuses an expired token, and any token while {@link #MOST} unexpired tokens are revoked.
     *
     * @param expiresAt when the token expires; an hour later the revocation is deleted
     * @param why a reason for operators; may be null
     */
    void revoke(String jti, Instant expiresAt, @Nullable String why);

    /** Whether a token was revoked. */
    boolean isRevoked(String jti);

    /** Returns which of these tokens are revoked, for a caller that checks many at a time. */
    Set<String> among(Collection<String> jtis);

    /** Returns the most recently revoked tokens that have not expired, at most this many. */
    List<Revoked> list(int most);

    /** The same on the caller's connection, which may have its own network timeout. */
    List<Revoked> list(Connection connection, int most);

    /** A revoked token. */
    record Revoked(String jti, Instant expiresAt, Instant revokedAt, String why) {}
}
