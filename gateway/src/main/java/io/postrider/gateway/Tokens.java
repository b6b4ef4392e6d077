package io.postrider.gateway;

import io.postrider.PostriderException;
import io.postrider.gateway.internal.SafeNames;
import io.postrider.gateway.internal.frames.JsonObject;
import io.postrider.gateway.internal.tokens.TokenKey;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Verifies signed tokens (JWT). The key determines the algorithm; {@code iss}, {@code aud} and {@code exp} are required and must
 * match; malformed tokens are rejected. Immutable: each {@code with…} returns a changed copy. Safe to share.
 *
 * <p>Clock skew extends a token's life only for a single request. A stream that was opened with the token ends at {@code exp}.
 */
public final class Tokens {
    private static final int LONGEST = 8 * 1024;
    private static final long LATEST = 253_402_300_799L; // the year 9999: later dates differ between Instant and JSON
    private static final Pattern FORM = Pattern.compile("([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)");

    /** With these headers a token would bring its own key, or change what is signed. */
    private static final List<String> FORBIDDEN =
            List.of("crit", "b64", "jwk", "jku", "x5u", "x5c", "zip", "enc", "cty");

    private static final Set<String> TYPES = Set.of("jwt", "at+jwt");

    private final String issuer;
    private final String audience;
    private final Map<String, TokenKey> keys;
    private final Duration skew;
    private final Clock clock;

    private Tokens(String issuer, String audience, Map<String, TokenKey> keys, Duration skew, Clock clock) {
        this.issuer = issuer;
        this.audience = audience;
        this.keys = keys;
        this.skew = skew;
        this.clock = clock;
    }

    /** Accepts tokens of this issuer for this audience, compared exactly. It has no key yet, and so refuses all tokens. */
    public static Tokens of(String issuer, String audience) {
        if (issuer.isBlank() || audience.isBlank()) {
            throw PostriderException.refused(
                    "issuer and audience must be given: tokens issued for another audience are rejected");
        }
        return new Tokens(issuer, audience, Map.of(), Duration.ofSeconds(30), Clock.systemUTC());
    }

    /**
     * Also accepts tokens signed with this secret (HS256) of at least 32 bytes. The token's header must name this key, or no key
     * if it is the only one. Several secrets allow key rotation; secrets and public keys cannot be combined.
     */
    public Tokens withSecret(String keyId, byte[] secret) {
        return with(keyId, TokenKey.secret(secret));
    }

    /**
     * Also accepts tokens signed with the private key that belongs to this one: RSA (RS256), EC on P-256 (ES256) or Ed25519
     * (EdDSA).
     */
    public Tokens withPublicKey(String keyId, PublicKey key) {
        return with(keyId, TokenKey.publicKey(key));
    }

    private Tokens with(String keyId, TokenKey key) {
        if (!SafeNames.isId(keyId)) {
            throw PostriderException.refused(
                    "a key's id must match " + SafeNames.ID + ", was '" + SafeNames.shown(keyId) + "'");
        }
        if (keys.containsKey(keyId)) {
            throw PostriderException.refused("there are two keys with the id '" + keyId + "'");
        }
        if (keys.values().stream().anyMatch(other -> other.isSecret() != key.isSecret())) {
            throw PostriderException.refused("secrets and public keys cannot be mixed: configure one kind");
        }
        Map<String, TokenKey> more = new HashMap<>(keys);
        more.put(keyId, key);
        return new Tokens(issuer, audience, Map.copyOf(more), skew, clock);
    }

    /** The allowed clock skew. 0..60 s, default 30 s. */
    public Tokens withSkew(Duration newSkew) {
        if (newSkew.isNegative() || newSkew.compareTo(Duration.ofSeconds(60)) > 0) {
            throw PostriderException.refused("skew must be 0..60 s, was " + newSkew.toSeconds() + " s");
        }
        return new Tokens(issuer, audience, keys, newSkew, clock);
    }

    /** The clock. Default: the system clock. */
    public Tokens withClock(Clock newClock) {
        return new Tokens(issuer, audience, keys, skew, newClock);
    }

    /** Verifies a token and returns its identity; refused with 401 if the token is invalid. Revocation is not checked here. */
    public Identity verify(String token) {
        Matcher parts = FORM.matcher(token);
        if (token.length() > LONGEST || !parts.matches()) {
            throw Refusal.unauthorized("the token is not a signed JWT of at most " + LONGEST + " characters");
        }
        TokenKey key = key(object("header", parts.group(1)));
        byte[] input = token.substring(0, parts.end(2)).getBytes(StandardCharsets.US_ASCII);
        if (!key.isSigned(input, decoded("signature", parts.group(3)))) {
            throw Refusal.unauthorized("the token's signature is not valid");
        }
        return identity(object("payload", parts.group(2)));
    }

    private TokenKey key(JsonObject header) {
        for (String name : FORBIDDEN) {
            if (header.has(name)) {
                throw Refusal.unauthorized("the token's header must not have '" + name + "'");
            }
        }
        String type = header.text("typ");
        if (header.has("typ") && (type == null || !TYPES.contains(type.toLowerCase(Locale.ROOT)))) {
            throw Refusal.unauthorized("the token's typ must be JWT, or missing");
        }
        TokenKey key = named(header);
        if (key == null) {
            throw Refusal.unauthorized("the token's kid is not a configured key id");
        }
        if (!key.algorithm().equals(header.text("alg"))) {
            throw Refusal.unauthorized("the token's alg must be " + key.algorithm());
        }
        return key;
    }

    private @Nullable TokenKey named(JsonObject header) {
        if (header.has("kid")) {
            String keyId = header.text("kid");
            return keyId == null ? null : keys.get(keyId);
        }
        return keys.size() == 1 ? keys.values().iterator().next() : null;
    }

    private Identity identity(JsonObject claims) {
        if (!issuer.equals(claims.text("iss"))) {
            throw Refusal.unauthorized("the token's iss must be the configured issuer");
        }
        List<String> audiences = claims.texts("aud");
        if (audiences == null || !audiences.contains(audience)) {
            throw Refusal.unauthorized("the token's aud must be the configured audience");
        }
        Instant expires = time(claims, "exp");
        if (expires == null) {
            throw Refusal.unauthorized("the token must have exp");
        }
        Instant now = clock.instant();
        if (!now.isBefore(expires.plus(skew))) {
            throw Refusal.unauthorized("the token has expired; get a new one");
        }
        refuseFuture(claims, "nbf", now);
        refuseFuture(claims, "iat", now);
        return new Identity(
                required(claims, "sub"), optional(claims, "project"), reach(claims), optional(claims, "jti"), expires);
    }

    private void refuseFuture(JsonObject claims, String name, Instant now) {
        Instant from = time(claims, name);
        if (from != null && from.isAfter(now.plus(skew))) {
            throw Refusal.unauthorized("the token's " + name + " is in the future; compare the clocks");
        }
    }

    private static @Nullable Instant time(JsonObject claims, String name) {
        if (!claims.has(name)) {
            return null;
        }
        Long seconds = claims.number(name);
        if (seconds == null || seconds < 0 || seconds > LATEST) {
            throw Refusal.unauthorized("the token's " + name + " must be a time in seconds");
        }
        return Instant.ofEpochSecond(seconds);
    }

    private static Identity.Reach reach(JsonObject claims) {
        if (!claims.has("reach")) {
            return Identity.Reach.USER;
        }
        return switch (String.valueOf(claims.text("reach"))) {
            case "user" -> Identity.Reach.USER;
            case "project" -> Identity.Reach.PROJECT;
            case "all" -> Identity.Reach.ALL;
            default -> throw Refusal.unauthorized("the token's reach must be user, project or all");
        };
    }

    private static String required(JsonObject claims, String name) {
        String text = optional(claims, name);
        if (text == null) {
            throw Refusal.unauthorized("the token must have " + name);
        }
        return text;
    }

    private static @Nullable String optional(JsonObject claims, String name) {
        String text = claims.text(name);
        if (text == null && claims.has(name)) {
            throw Refusal.unauthorized("the token's " + name + " must be a string");
        }
        return text;
    }

    private static JsonObject object(String part, String encoded) {
        try {
            return JsonObject.read(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(decoded(part, encoded)))
                    .toString());
        } catch (CharacterCodingException | IllegalArgumentException e) {
            throw Refusal.unauthorized("the token's " + part + " is not one JSON object");
        }
    }

    /**
     * Accepts only the canonical encoding: otherwise a token that was revoked or logged by its text would have other spellings.
     */
    private static byte[] decoded(String part, String encoded) {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(encoded);
            if (Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(encoded)) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // refused below
        }
        throw Refusal.unauthorized("the token's " + part + " is not base64url as JWT writes it");
    }

    /** Its settings, without secrets. */
    @Override
    public String toString() {
        Map<String, String> algorithms = new TreeMap<>();
        keys.forEach((keyId, key) -> algorithms.put(keyId, key.algorithm()));
        return "issuer=" + issuer + " audience=" + audience + " keys=" + algorithms + " skew=" + skew;
    }
}
