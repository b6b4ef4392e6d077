package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tokens that are right, and a corpus of those that are not, made by hand: no library would make most of them. */
@Tag("security")
class TokensTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
    private static final long EXP = NOW.getEpochSecond() + 600;
    private static final byte[] SECRET = random(32);
    private static final KeyPair RSA = pair("RSA", 2048);
    private static final KeyPair EC = ec("secp256r1");
    private static final KeyPair ED = pair("Ed25519", 0);

    private static final String CLAIMS = "{\"iss\":\"https://id.test\",\"aud\":\"postrider\",\"exp\":" + EXP
            + ",\"sub\":\"ann\",\"project\":\"p1\",\"reach\":\"project\",\"jti\":\"t-1\"}";
    private static final String HS = "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"k1\"}";

    private final Tokens tokens = tokens().withSecret("k1", SECRET);

    private static Tokens tokens() {
        return Tokens.of("https://id.test", "postrider").withClock(Clock.fixed(NOW, ZoneOffset.UTC));
    }

    // ── what is right ───────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_token_yields_the_identity() {
        Identity identity = tokens.verify(hs(HS, CLAIMS));
        assertThat(identity)
                .isEqualTo(new Identity("ann", "p1", Identity.Reach.PROJECT, "t-1", Instant.ofEpochSecond(EXP)));
    }

    @Test
    void without_a_reach_it_is_ones_own() {
        Identity identity = tokens.verify(hs(HS, without("reach")));
        assertThat(identity.reach()).isEqualTo(Identity.Reach.USER);
    }

    @Test
    void every_kind_of_key_verifies_what_it_signed() throws Exception {
        Tokens keys = tokens().withPublicKey("rsa", RSA.getPublic())
                .withPublicKey("ec", EC.getPublic())
                .withPublicKey("ed", ED.getPublic());
        assertThat(keys.verify(rs("{\"alg\":\"RS256\",\"kid\":\"rsa\"}")).subject())
                .isEqualTo("ann");
        assertThat(keys.verify(es("{\"alg\":\"ES256\",\"kid\":\"ec\"}")).subject())
                .isEqualTo("ann");
        assertThat(keys.verify(ed("{\"alg\":\"EdDSA\",\"kid\":\"ed\"}")).subject())
                .isEqualTo("ann");
    }

    @Test
    void two_secrets_hold_while_one_takes_the_others_place() {
        byte[] next = random(48);
        Tokens both = tokens.withSecret("k2", next);
        assertThat(both.verify(hs(HS, CLAIMS)).subject()).isEqualTo("ann");
        assertThat(both.verify(signed(HS.replace("k1", "k2"), CLAIMS, input -> hmac(next, input)))
                        .subject())
                .isEqualTo("ann");
    }

    @Test
    void a_key_that_is_the_only_one_need_not_be_named_and_an_audience_may_be_one_of_several() {
        assertThat(tokens.verify(hs("{\"alg\":\"HS256\"}", CLAIMS)).subject()).isEqualTo("ann");
        String several = CLAIMS.replace("\"postrider\"", "[\"other\",\"postrider\"]");
        assertThat(tokens.verify(hs(HS, several)).subject()).isEqualTo("ann");
    }

    @Test
    void clocks_may_differ_by_the_skew_and_no_more() {
        Tokens early = tokens.withClock(at(EXP + 29));
        assertThat(early.verify(hs(HS, CLAIMS)).expires()).isEqualTo(Instant.ofEpochSecond(EXP));
        assertRefused(tokens.withClock(at(EXP + 30)), hs(HS, CLAIMS), "expired");
        assertRefused(tokens.withSkew(Duration.ZERO).withClock(at(EXP)), hs(HS, CLAIMS), "expired");
    }

    @Test
    void what_the_mint_issues_its_tokens_take() {
        TokenMint mint = TokenMint.random("demo", "demo");
        Identity identity = mint.tokens().verify(mint.issue("ann", null, Identity.Reach.USER, Duration.ofMinutes(1)));
        assertThat(identity.subject()).isEqualTo("ann");
        assertThat(identity.project()).isNull();
        assertThat(identity.tokenId()).isNotNull();
        assertRefused(tokens, mint.issue("ann", null, Identity.Reach.ALL, Duration.ofMinutes(1)), "");
    }

    // ── what is refused ─────────────────────────────────────────────────────────────────────────────────────────────

    static Stream<Arguments> forged() throws Exception {
        Map<String, String> bad = new LinkedHashMap<>();
        String good = hs(HS, CLAIMS);
        String[] parts = good.split("\\.", -1);
        bad.put("nothing", "");
        bad.put("one part", parts[0]);
        bad.put("two parts", parts[0] + "." + parts[1]);
        bad.put("empty signature", parts[0] + "." + parts[1] + ".");
        bad.put("five parts", good + ".a.b");
        bad.put("a space", good + " ");
        bad.put("a line break", good + "\n");
        bad.put("padding", good + "=");
        bad.put("too long", hs(HS, CLAIMS.replace("ann", "a".repeat(9_000))));
        bad.put("alg none without signature", unsigned("{\"alg\":\"none\"}"));
        bad.put("alg none with a signature", hs("{\"alg\":\"none\"}", CLAIMS));
        bad.put("alg None", hs("{\"alg\":\"None\",\"kid\":\"k1\"}", CLAIMS));
        bad.put("alg nOnE", hs("{\"alg\":\"nOnE\",\"kid\":\"k1\"}", CLAIMS));
        bad.put("alg missing", hs("{\"kid\":\"k1\"}", CLAIMS));
        bad.put("alg a number", hs("{\"alg\":256,\"kid\":\"k1\"}", CLAIMS));
        bad.put("alg hs256 in lower case", hs("{\"alg\":\"hs256\",\"kid\":\"k1\"}", CLAIMS));
        bad.put("alg HS512", hs("{\"alg\":\"HS512\",\"kid\":\"k1\"}", CLAIMS));
        bad.put("alg twice", hs("{\"alg\":\"none\",\"alg\":\"HS256\",\"kid\":\"k1\"}", CLAIMS));
        bad.put("RS256 by somebody's key", rs("{\"alg\":\"RS256\",\"kid\":\"k1\"}"));
        bad.put("kid unknown", hs("{\"alg\":\"HS256\",\"kid\":\"k9\"}", CLAIMS));
        bad.put("kid a path", hs("{\"alg\":\"HS256\",\"kid\":\"../../../../dev/null\"}", CLAIMS));
        bad.put("kid a URL", hs("{\"alg\":\"HS256\",\"kid\":\"https://evil.test/key\"}", CLAIMS));
        bad.put("kid SQL", hs("{\"alg\":\"HS256\",\"kid\":\"' union select 'x\"}", CLAIMS));
        bad.put("kid empty", hs("{\"alg\":\"HS256\",\"kid\":\"\"}", CLAIMS));
        bad.put("kid null", hs("{\"alg\":\"HS256\",\"kid\":null}", CLAIMS));
        bad.put("kid an array", hs("{\"alg\":\"HS256\",\"kid\":[\"k1\"]}", CLAIMS));
        bad.put("jwk brings a key", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"jwk\":{\"kty\":\"oct\"}}", CLAIMS));
        bad.put("jku names a place", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"jku\":\"https://evil.test\"}", CLAIMS));
        bad.put("x5u names a place", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"x5u\":\"https://evil.test\"}", CLAIMS));
        bad.put("crit", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"crit\":[\"exp\"]}", CLAIMS));
        bad.put("b64 false", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"b64\":false}", CLAIMS));
        bad.put("zip", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"zip\":\"DEF\"}", CLAIMS));
        bad.put("typ of something else", hs("{\"alg\":\"HS256\",\"kid\":\"k1\",\"typ\":\"dpop+jwt\"}", CLAIMS));
        bad.put("header not JSON", hs("alg=HS256", CLAIMS));
        bad.put("header an array", hs("[\"HS256\"]", CLAIMS));
        bad.put("header with more behind", hs(HS + "{}", CLAIMS));
        bad.put("wrong secret", signed(HS, CLAIMS, input -> hmac(random(32), input)));
        bad.put("empty secret", signed(HS, CLAIMS, input -> hmac(new byte[] {0}, input)));
        bad.put("signature cut short", good.substring(0, good.length() - 6));
        bad.put("signature of another payload", parts[0] + "." + b64(CLAIMS.replace("ann", "bob")) + "." + parts[2]);
        bad.put("signature in another spelling", respelled(good));
        bad.put("payload with a foreign sign", parts[0] + "." + parts[1] + "!" + "." + parts[2]);
        bad.put("payload in plain base64", parts[0] + "." + parts[1] + "+/" + "." + parts[2]);
        bad.put("payload not JSON", hs(HS, "sub=ann"));
        bad.put("payload not UTF-8", signedBytes(HS, new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80, '"', '}'}));
        bad.put("payload UTF-16", signedBytes(HS, CLAIMS.getBytes(StandardCharsets.UTF_16)));
        bad.put("payload with a mark before", hs(HS, "\ufeff" + CLAIMS));
        bad.put("payload deep", hs(HS, CLAIMS.replace("}", ",\"x\":" + "[".repeat(500) + "]".repeat(500) + "}")));
        bad.put("sub twice", hs(HS, CLAIMS.replace("{\"iss\"", "{\"sub\":\"eve\",\"iss\"")));
        bad.put("iss missing", hs(HS, without("iss")));
        bad.put("iss another", hs(HS, CLAIMS.replace("https://id.test", "https://id.test.evil")));
        bad.put("iss with a slash", hs(HS, CLAIMS.replace("https://id.test", "https://id.test/")));
        bad.put("aud missing", hs(HS, without("aud")));
        bad.put("aud another", hs(HS, CLAIMS.replace("\"postrider\"", "\"postrider2\"")));
        bad.put("aud in upper case", hs(HS, CLAIMS.replace("\"postrider\"", "\"Postrider\"")));
        bad.put("aud empty array", hs(HS, CLAIMS.replace("\"postrider\"", "[]")));
        bad.put("aud with something else in it", hs(HS, CLAIMS.replace("\"postrider\"", "[\"postrider\",1]")));
        bad.put("exp missing", hs(HS, without("exp")));
        bad.put("exp past", hs(HS, CLAIMS.replace("" + EXP, "" + (EXP - 1_000))));
        bad.put("exp a string", hs(HS, CLAIMS.replace("" + EXP, "\"" + EXP + "\"")));
        bad.put("exp null", hs(HS, CLAIMS.replace("" + EXP, "null")));
        bad.put("exp beyond all numbers", hs(HS, CLAIMS.replace("" + EXP, "99999999999999999999")));
        bad.put("exp 1e30", hs(HS, CLAIMS.replace("" + EXP, "1e30")));
        bad.put("exp negative", hs(HS, CLAIMS.replace("" + EXP, "-1")));
        bad.put("nbf in the future", hs(HS, CLAIMS.replace("{", "{\"nbf\":" + (EXP - 100) + ",")));
        bad.put("iat in the future", hs(HS, CLAIMS.replace("{", "{\"iat\":" + (EXP - 100) + ",")));
        bad.put("sub missing", hs(HS, without("sub")));
        bad.put("sub empty", hs(HS, CLAIMS.replace("\"ann\"", "\"\"")));
        bad.put("sub a number", hs(HS, CLAIMS.replace("\"ann\"", "7")));
        bad.put("sub with a NUL", hs(HS, CLAIMS.replace("ann", "ann\\u0000bob")));
        bad.put("sub with a line break", hs(HS, CLAIMS.replace("ann", "ann\\nbob")));
        bad.put("sub too long", hs(HS, CLAIMS.replace("ann", "a".repeat(101))));
        bad.put("sub with letters that look alike", hs(HS, CLAIMS.replace("ann", "\u0430nn")));
        bad.put("project with a star", hs(HS, CLAIMS.replace("\"p1\"", "\"*\"")));
        bad.put("project missing for reach project", hs(HS, without("project")));
        bad.put("reach unknown", hs(HS, CLAIMS.replace("\"reach\":\"project\"", "\"reach\":\"admin\"")));
        bad.put("reach in upper case", hs(HS, CLAIMS.replace("\"reach\":\"project\"", "\"reach\":\"ALL\"")));
        bad.put("reach an array", hs(HS, CLAIMS.replace("\"reach\":\"project\"", "\"reach\":[\"all\"]")));
        bad.put("reach null", hs(HS, CLAIMS.replace("\"reach\":\"project\"", "\"reach\":null")));
        bad.put("jti with a space", hs(HS, CLAIMS.replace("t-1", "t 1")));
        return bad.entrySet().stream().map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forged")
    void a_forged_token_is_refused(String what, String token) {
        assertRefused(tokens, token, "");
    }

    static Stream<Arguments> forgedForPublicKeys() throws Exception {
        byte[] rsaPublic = RSA.getPublic().getEncoded();
        byte[] pem = ("-----BEGIN PUBLIC KEY-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(rsaPublic)
                        + "\n-----END PUBLIC KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
        String hsRsa = "{\"alg\":\"HS256\",\"kid\":\"rsa\"}";
        String es = "{\"alg\":\"ES256\",\"kid\":\"ec\"}";
        KeyPair stranger = ec("secp256r1");
        return Stream.of(
                Arguments.of("HS256 by the public RSA key", signed(hsRsa, CLAIMS, input -> hmac(rsaPublic, input))),
                Arguments.of("HS256 by its PEM text", signed(hsRsa, CLAIMS, input -> hmac(pem, input))),
                Arguments.of("ECDSA of zeros", signed(es, CLAIMS, input -> new byte[64])),
                Arguments.of(
                        "ECDSA of zeros as DER", signed(es, CLAIMS, input -> new byte[] {0x30, 6, 2, 1, 0, 2, 1, 0})),
                Arguments.of("ECDSA of the order", signed(es, CLAIMS, input -> order())),
                Arguments.of(
                        "ECDSA as DER", signed(es, CLAIMS, input -> sign("SHA256withECDSA", EC.getPrivate(), input))),
                Arguments.of(
                        "ECDSA by a stranger",
                        signed(
                                es,
                                CLAIMS,
                                input -> sign("SHA256withECDSAinP1363Format", stranger.getPrivate(), input))),
                Arguments.of("no key named where there are several", rs("{\"alg\":\"RS256\"}")),
                Arguments.of("RS256 under the name of another", rs("{\"alg\":\"RS256\",\"kid\":\"ec\"}")),
                Arguments.of("PS256", rs("{\"alg\":\"PS256\",\"kid\":\"rsa\"}")),
                Arguments.of("RS512", rs("{\"alg\":\"RS512\",\"kid\":\"rsa\"}")),
                Arguments.of(
                        "EdDSA of zeros", signed("{\"alg\":\"EdDSA\",\"kid\":\"ed\"}", CLAIMS, input -> new byte[64])),
                Arguments.of(
                        "EdDSA too short", signed("{\"alg\":\"EdDSA\",\"kid\":\"ed\"}", CLAIMS, input -> new byte[3])),
                Arguments.of("Ed25519 by its other name", ed("{\"alg\":\"Ed25519\",\"kid\":\"ed\"}")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forgedForPublicKeys")
    void a_token_forged_against_public_keys_is_refused(String what, String token) {
        Tokens keys = tokens().withPublicKey("rsa", RSA.getPublic())
                .withPublicKey("ec", EC.getPublic())
                .withPublicKey("ed", ED.getPublic());
        assertRefused(keys, token, "");
    }

    @Test
    void malformed_keys_are_refused_by_name() {
        assertThatThrownBy(() -> tokens().withSecret("k1", random(31)))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("32 bytes");
        assertThatThrownBy(() -> tokens.withPublicKey("rsa", RSA.getPublic())).hasMessageContaining("mixed");
        assertThatThrownBy(() -> tokens().withPublicKey("rsa", pair("RSA", 1024).getPublic()))
                .hasMessageContaining("2048");
        assertThatThrownBy(() -> tokens().withPublicKey("ec", ec("secp384r1").getPublic()))
                .hasMessageContaining("P-256");
        assertThatThrownBy(() -> tokens().withPublicKey("ed", pair("Ed448", 0).getPublic()))
                .hasMessageContaining("Ed25519");
        assertThatThrownBy(() -> tokens.withSecret("k1", random(32))).hasMessageContaining("two keys");
        assertThatThrownBy(() -> tokens.withSecret("../k", random(32))).hasMessageContaining("id");
        assertThatThrownBy(() -> tokens.withSkew(Duration.ofSeconds(61))).hasMessageContaining("skew");
        assertThatThrownBy(() -> Tokens.of(" ", "a")).hasMessageContaining("issuer");
    }

    @Test
    void no_secret_is_in_what_it_prints() {
        String printed = tokens.toString();
        assertThat(printed)
                .contains("k1=HS256")
                .doesNotContain(Base64.getEncoder().encodeToString(SECRET));
        assertRefused(tokens, hs(HS, without("exp")), "must have exp");
    }

    private static void assertRefused(Tokens by, String token, String detail) {
        assertThatThrownBy(() -> by.verify(token)).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(401);
            assertThat(refusal.detail()).contains(detail);
            if (token.length() > 20) {
                assertThat(refusal.problem()).doesNotContain(token);
            }
        });
    }

    // ── how they are made ───────────────────────────────────────────────────────────────────────────────────────────

    private interface Signing {
        byte[] sign(byte[] input) throws Exception;
    }

    private static String signed(String header, String claims, Signing signing) {
        String input = b64(header) + "." + b64(claims);
        try {
            return input + "." + b64(signing.sign(input.getBytes(StandardCharsets.US_ASCII)));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String signedBytes(String header, byte[] claims) {
        String input = b64(header) + "." + b64(claims);
        return input + "." + b64(hmac(SECRET, input.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String unsigned(String header) {
        return b64(header) + "." + b64(CLAIMS) + ".";
    }

    private static String hs(String header, String claims) {
        return signed(header, claims, input -> hmac(SECRET, input));
    }

    private static String rs(String header) {
        return signed(header, CLAIMS, input -> sign("SHA256withRSA", RSA.getPrivate(), input));
    }

    private static String es(String header) {
        return signed(header, CLAIMS, input -> sign("SHA256withECDSAinP1363Format", EC.getPrivate(), input));
    }

    private static String ed(String header) {
        return signed(header, CLAIMS, input -> sign("Ed25519", ED.getPrivate(), input));
    }

    /** The last letter of 32 bytes in base64url has two bits that say nothing: set them. */
    private static String respelled(String token) {
        String letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        int last = letters.indexOf(token.charAt(token.length() - 1));
        return token.substring(0, token.length() - 1) + letters.charAt(last | 1);
    }

    private static String without(String claim) {
        return CLAIMS.replaceFirst("\"" + claim + "\":(\"[^\"]*\"|[0-9]+),?", "")
                .replace(",}", "}");
    }

    private static byte[] order() {
        byte[] n = ((java.security.interfaces.ECPublicKey) EC.getPublic())
                .getParams()
                .getOrder()
                .toByteArray();
        byte[] both = new byte[64];
        System.arraycopy(n, n.length - 32, both, 0, 32);
        System.arraycopy(n, n.length - 32, both, 32, 32);
        return both;
    }

    private static byte[] hmac(byte[] secret, byte[] input) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return mac.doFinal(input);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] sign(String algorithm, PrivateKey key, byte[] input) throws Exception {
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(input);
        return signature.sign();
    }

    private static KeyPair pair(String algorithm, int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (bits > 0) {
                generator.initialize(bits);
            }
            return generator.generateKeyPair();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair ec(String curve) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(curve));
            return generator.generateKeyPair();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        new SecureRandom().nextBytes(random);
        return random;
    }

    private static Clock at(long second) {
        return Clock.fixed(Instant.ofEpochSecond(second), ZoneOffset.UTC);
    }

    private static String b64(String text) {
        return b64(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String b64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
