package io.postrider.gateway;

import io.postrider.JsonText;
import io.postrider.gateway.internal.tokens.TokenKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Issues tokens (HS256) for demos, tests and applications without their own issuer. Safe to share. */
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

    /** With a new random secret that is not stored anywhere. */
    public static TokenMint random(String issuer, String audience) {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return new TokenMint(issuer, audience, KEY_ID, secret);
    }

    /** With this secret, of at least 32 bytes. */
    public static TokenMint of(String issuer, String audience, byte[] secret) {
        return of(issuer, audience, KEY_ID, secret);
    }

    /** With this secret and its key id, as the verifier knows it. */
    public static TokenMint of(String issuer, String audience, String keyId, byte[] secret) {
        return new TokenMint(issuer, audience, keyId, secret.clone());
    }

    /** The verifier for its tokens. */
    public Tokens tokens() {
        return tokens;
    }

    /** A token with a new id. */
    public String issue(String subject, @Nullable String project, Identity.Reach reach, Duration lasting) {
        return issue(subject, project, reach, lasting, UUID.randomUUID().toString());
    }

    /** A token with this id, which can be used to revoke it. */
    public String issue(
            String subject, @Nullable String project, Identity.Reach reach, Duration lasting, String tokenId) {
        Instant now = Instant.now();
        Identity identity = new Identity(subject, project, reach, tokenId, now.plus(lasting)); // rejects invalid ids
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", issuer);
        claims.put("aud", audience);
        claims.put("sub", identity.subject());
        if (project != null) {
            claims.put("project", project);
        }
        claims.put("reach", reach.name().toLowerCase(Locale.ROOT));
        claims.put("jti", tokenId);
        claims.put("iat", now.getEpochSecond());
        claims.put("exp", identity.expires().getEpochSecond());
        Map<String, Object> header = Map.of("alg", "HS256", "kid", keyId);
        return signed(encoded(json(header)) + "." + encoded(json(claims)));
    }

    private String signed(String input) {
        try {
            return input + "." + encoded(TokenKey.hmac(secret, input.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HMAC-SHA256", e);
        }
    }

    private static byte[] json(Map<String, Object> fields) {
        StringJoiner json = new StringJoiner(",", "{", "}");
        fields.forEach((name, value) ->
                json.add(JsonText.quoted(name) + ":" + (value instanceof String text ? JsonText.quoted(text) : value)));
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
