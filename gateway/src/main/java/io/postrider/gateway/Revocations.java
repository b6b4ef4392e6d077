package io.postrider.gateway;

/**
 * Tokens that are rejected although they have not expired. Queried for every new token, and every second for every open stream,
 * so it must answer from memory: see {@link PolledRevocations}.
 */
@FunctionalInterface
public interface Revocations {
    /** No token is revoked. */
    Revocations NONE = tokenId -> false;

    /** Whether the token with this {@code jti} is revoked. */
    boolean isRevoked(String tokenId);
}
