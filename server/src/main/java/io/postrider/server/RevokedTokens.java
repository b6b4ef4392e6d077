package io.postrider.server;

import io.postrider.Postrider;
import io.postrider.access.Revocations.Revoked;
import io.postrider.gateway.PolledRevocations;
import io.postrider.gateway.Revocations;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Revoked tokens: those that were revoked here at once, those of other nodes within two seconds. */
final class RevokedTokens implements Revocations, AutoCloseable {
    /** More than these, not yet expired, and something else is wrong. */
    private static final int MOST = 100_000;

    private final Set<String> here = ConcurrentHashMap.newKeySet();
    private final PolledRevocations everywhere;

    RevokedTokens(Postrider postrider) {
        this.everywhere = PolledRevocations.of(() ->
                postrider.revocations().list(MOST).stream().map(Revoked::jti).toList());
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
