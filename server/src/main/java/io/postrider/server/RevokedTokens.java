package io.postrider.server;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import io.postrider.access.Revocations.Revoked;
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
 * Revoked tokens: those that were revoked here at once, those of other nodes within two seconds. They are read on a connection of
 * their own: when the database's host vanishes, those of the pool hang until the kernel gives them up, after 15 minutes.
 */
final class RevokedTokens implements Revocations, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RevokedTokens.class);

    /** To revoke more is refused; some that were revoked in the same moment may be there beyond. */
    private static final int MOST = io.postrider.access.Revocations.MOST + 10_000;

    private static final int SILENCE_MILLIS = 3_000;

    /** Clocks differ, and a token is believed for a moment after its time. */
    private static final Duration AFTERWARDS = Duration.ofMinutes(2);

    private final Map<String, Instant> here = new ConcurrentHashMap<>();
    private final HikariDataSource line = new HikariDataSource();
    private final PolledRevocations everywhere;

    /** Of this node; they are read from there. */
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
            connection.setNetworkTimeout(Runnable::run, SILENCE_MILLIS); // the pool sets it back
            List<Revoked> revoked = postrider.revocations().list(connection, MOST);
            if (revoked.size() == MOST) {
                log.error(
                        "revocations_full known={} somebody wrote more into the table than can be held, and tokens that were"
                                + " revoked before these are believed: change the key by which tokens are signed",
                        MOST);
            }
            return revoked.stream().map(Revoked::jti).toList();
        }
    }

    /** One that was just written down, until it expires. */
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
