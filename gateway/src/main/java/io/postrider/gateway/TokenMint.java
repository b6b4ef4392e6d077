package io.postrider.gateway;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes tokens (HS256): for demos and tests, and for applications that have no issuer of their own. Safe to share. */
public final class TokenMint {
    private static final String KEY_ID = "mint";

    private final String keyId;
    private final String issuer;
    private final String audience;
    private final byte[] secret;
    private final Tokens tokens;

    private TokenMint(String issuer, String audience, String keyId, byte[] secret) {
        this.tokens = Tokens.of(issuer, audience).withSecret(keyId, secret);
        this.keyId = keyId;
        this.issuer = issuer;
        this.audience = audience;
        this.secret = secret;
    }

    /** With a secret that is drawn now and kept nowhere. */
    public static TokenMint random(String issuer, String audience) {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return new TokenMint(issuer, audience, KEY_ID, secret);
    }

    /** With this secret, of 32 bytes at least. */
    public static TokenMint of(String issuer, String audience, byte[] secret) {
        return of(issuer, audience, KEY_ID, secret);
    }

    /** With this secret, under the name by which those who verify know it. */
    public static TokenMint of(String issuer, String audience, String keyId, byte[] secret) {
        return new TokenMint(issuer, audience, keyId, secret.clone());
    }

    /** What verifies its tokens. */
    public Tokens tokens() {
        return tokens;
    }

    /** A token with an id of its own. */
    public String issue(String subject, @Nullable String project, Identity.Reach reach, Duration lasting) {
        return issue(subject, project, reach, lasting, UUID.randomUUID().toString());
    }

    /** A token with this id, by which it can be revoked. */
    public String issue(
            String subject, @Nullable String project, Identity.Reach reach, Duration lasting, String tokenId) {
        Instant now = Instant.now();
        Identity identity = new Identity(subject, project, reach, tokenId, now.plus(lasting)); // refuses what is none
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .issuer(issuer)
                .audience(audience)
                .subject(identity.subject())
                .claim("project", project)
                .claim("reach", reach.name().toLowerCase(Locale.ROOT))
                .jwtID(tokenId)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(identity.expires()))
                .build();
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(keyId).build(), claims);
        try {
            token.sign(new MACSigner(secret));
        } catch (JOSEException e) {
            throw new IllegalStateException("a secret that was taken cannot sign", e);
        }
        return token.serialize();
    }
}
