package io.postrider.gateway;

import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;

/** Verifies tokens (JWT). Immutable: each {@code with…} gives a changed copy. Safe to share. */
public final class Tokens {
    private Tokens() {}

    /** From this issuer, for this audience; knows no key yet, and so refuses all. */
    public static Tokens of(String issuer, String audience) {
        throw new UnsupportedOperationException();
    }

    /** Also tokens signed with this secret (HS256) whose header names this key, or no key if it is the only one. */
    public Tokens withSecret(String keyId, byte[] secret) {
        throw new UnsupportedOperationException();
    }

    /** Also tokens signed with this key's private half: RSA (RS256), P-256 (ES256) or Ed25519 (EdDSA). */
    public Tokens withPublicKey(String keyId, PublicKey key) {
        throw new UnsupportedOperationException();
    }

    /** By how much clocks may differ. 0..60 s, default 30 s. */
    public Tokens withSkew(Duration skew) {
        throw new UnsupportedOperationException();
    }

    /** By which clock. Default: the system's. */
    public Tokens withClock(Clock clock) {
        throw new UnsupportedOperationException();
    }

    /** Who this token says somebody is; refused with 401 if it is not to be believed. Whether it is revoked is not asked here. */
    public Identity verify(String token) {
        throw new UnsupportedOperationException();
    }
}
