package io.postrider.server;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.admin.Revocations.Revoked;
import io.postrider.gateway.PolledRevocations;
import io.postrider.gateway.Revocations;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Revoked tokens. A token that is revoked on this node is refused at once, one that is revoked on another node within two
 * seconds. They are read on a separate connection: when the database's host vanishes, pooled connections hang until the kernel
 * gives them up, after 15 minutes.
 */
final class RevokedTokens implements Revocations, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RevokedTokens.class);

    /** The API refuses to revoke more than its own limit; concurrent revocations may exceed that by a few. */
    private static final int MOST = io.postrider.admin.Revocations.MOST + 10_000;

    private static final int SILENCE_MILLIS = 3_000;

    /** Clocks differ, and a token is still accepted for a moment after it expires. */
    private static final Duration AFTERWARDS = Duration.ofMinutes(2);

    private final Map<String, Instant> here = new ConcurrentHashMap<>();
    private final HikariDataSource line = new HikariDataSource();
    private final PolledRevocations everywhere;

    /** Reads the revoked tokens of this node's schema. */
    RevokedTokens(Postrider postrider, DataSource source) {
        line.setPoolName("postrider-revocations");
        line.setDataSource(source);
        line.setMaximumPoolSize(1);
        line.setConnectionTimeout(5_000);
        try {
            this.everywhere = PolledRevocations.of(() -> read(postrider, line));
        } catch (RuntimeException e) {
            line.close();
            throw e;
        }
    }

    private static List<String> read(Postrider postrider, DataSource line) throws SQLException {
        try (Connection connection = line.getConnection()) {
            connection.setNetworkTimeout(Runnable::run, SILENCE_MILLIS); // the pool resets it
            List<Revoked> revoked = postrider.revocations().list(connection, MOST);
            if (revoked.size() == MOST) {
                log.error(
                        "revocations_full known={} the table has more rows than the limit; older revocations are"
                                + " ignored and their tokens accepted: replace the signing key",
                        MOST);
            }
            return revoked.stream().map(Revoked::jti).toList();
        }
    }

    /** Adds a token whose revocation was just written; it is kept until it expires. */
    void add(String tokenId, Instant expires) {
        Instant over = Instant.now().minus(AFTERWARDS);
        here.entrySet().removeIf(one -> one.getValue().isBefore(over) || everywhere.isRevoked(one.getKey()));
        here.put(tokenId, expires);
    }

    @Override
    public boolean isRevoked(String tokenId) {
        return here.containsKey(tokenId) || everywhere.isRevoked(tokenId);
    }

    @Override
    public void close() {
        everywhere.close();
        line.close();
    }
}
