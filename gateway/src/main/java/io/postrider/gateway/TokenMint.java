package io.postrider.gateway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes tokens (HS256): for demos and tests, and for applications that have no issuer of their own. Safe to share. */
public final class TokenMint {
    private TokenMint() {}

    /** With a secret that is drawn now and kept nowhere. */
    public static TokenMint random(String issuer, String audience) {
        throw new UnsupportedOperationException();
    }

    /** With this secret, of 32 bytes at least. */
    public static TokenMint of(String issuer, String audience, byte[] secret) {
        throw new UnsupportedOperationException();
    }

    /** What verifies its tokens. */
    public Tokens tokens() {
        throw new UnsupportedOperationException();
    }

    /** A token with an id of its own. */
    public String issue(String subject, @Nullable String project, Identity.Reach reach, Duration lasting) {
        throw new UnsupportedOperationException();
    }
}
