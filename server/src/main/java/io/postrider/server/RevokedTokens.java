package io.postrider.server;

import io.postrider.Postrider;
import io.postrider.access.Revocations.Revoked;
import io.postrider.gateway.PolledRevocations;
import io.postrider.gateway.Revocations;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Revoked tokens: those that were revoked here at once, those of other nodes within two seconds. */
final class RevokedTokens implements Revocations, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RevokedTokens.class);

    /** To revoke more is refused; some that were revoked in the same moment may be there beyond. */
    private static final int MOST = io.postrider.access.Revocations.MOST + 10_000;

    private final Set<String> here = ConcurrentHashMap.newKeySet();
    private final PolledRevocations everywhere;

    RevokedTokens(Postrider postrider) {
        this.everywhere = PolledRevocations.of(() -> {
            List<Revoked> revoked = postrider.revocations().list(MOST);
            if (revoked.size() == MOST) {
                log.error(
                        "revocations_full known={} somebody wrote more into the table than can be held, and tokens that were"
                                + " revoked before these are believed: change the key by which tokens are signed",
                        MOST);
            }
            return revoked.stream().map(Revoked::jti).toList();
        });
    }

    /** One that was just written down. */
    void add(String tokenId) {
        here.removeIf(everywhere::isRevoked);
        here.add(tokenId);
    }

    @Override
    public boolean isRevoked(String tokenId) {
        return here.contains(tokenId) || everywhere.isRevoked(tokenId);
    }

    @Override
    public void close() {
        everywhere.close();
    }
}
