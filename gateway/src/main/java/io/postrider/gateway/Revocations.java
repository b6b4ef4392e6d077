package io.postrider.gateway;

/**
 * Tokens that are not to be honoured any more although they have not expired. Asked for every token that comes, and every
 * second for every open stream, so it must answer from memory: see {@link PolledRevocations}.
 */
@FunctionalInterface
public interface Revocations {
    /** Nothing is ever revoked. */
    Revocations NONE = tokenId -> false;

    /** Whether the token with this {@code jti} is revoked. */
    boolean isRevoked(String tokenId);
}
