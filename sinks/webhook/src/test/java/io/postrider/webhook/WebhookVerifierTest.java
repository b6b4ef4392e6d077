package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("security")
class WebhookVerifierTest {
    private static final String ID = "0190b5a4-7c1e-7000-8000-000000000001";
    private static final long AT = 1_614_265_330;
    private static final byte[] BODY = "{\"test\": \"ä€\"}".getBytes(StandardCharsets.UTF_8);

    /** By {@code openssl dgst -sha256 -mac HMAC} with the key 00 01 … 1f, over id.timestamp.body. */
    private static final String BY_OPENSSL = "/djfAEzrzjZCalErVI+v4Iejusnvu+fk8jUJh1UN6CE=";

    private final String secret = secret(32);

    @Test
    void a_signature_is_the_one_that_another_program_computes() {
        assertThat(Secret.signatures(Secret.parse(secret), ID, Long.toString(AT), BODY))
                .isEqualTo("v1," + BY_OPENSSL);
        assertThatCode(() -> verify(headers("v1," + BY_OPENSSL), BODY)).doesNotThrowAnyException();
    }

    @Test
    void every_flipped_bit_of_the_body_is_noticed() {
        for (int bit = 0; bit < BODY.length * 8; bit++) {
            byte[] changed = BODY.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertForged(headers("v1," + BY_OPENSSL), changed);
        }
    }

    @Test
    void another_id_or_time_or_signature_is_noticed() {
        Map<String, String> otherId = headers("v1," + BY_OPENSSL);
        otherId.put("webhook-id", ID.replace('1', '2'));
        assertForged(otherId, BODY);
        Map<String, String> otherTime = headers("v1," + BY_OPENSSL);
        otherTime.put("webhook-timestamp", Long.toString(AT + 1));
        assertForged(otherTime, BODY);
        for (String other : List.of(
                BY_OPENSSL,
                "v2," + BY_OPENSSL,
                "v1a," + BY_OPENSSL,
                "v1," + BY_OPENSSL.toLowerCase(java.util.Locale.ROOT),
                "v1,",
                "v1",
                ",",
                "v1,%%%",
                "v1," + Base64.getEncoder().encodeToString(new byte[32]))) {
            assertForged(headers(other), BODY);
        }
    }

    @Test
    void one_right_signature_among_others_is_enough() {
        assertThatCode(() -> verify(headers("v1a,AAAA v1,AAAA v1," + BY_OPENSSL), BODY))
                .doesNotThrowAnyException();
    }

    @Test
    void a_flood_of_signatures_is_not_looked_through() {
        assertForged(headers("v1,AAAA ".repeat(10) + "v1," + BY_OPENSSL), BODY);
    }

    @Test
    void a_message_is_old_after_five_minutes_and_one_from_the_future_is_none() {
        for (long apart : new long[] {-300, -299, 0, 299, 300}) {
            assertThatCode(() -> verifier(apart, secret).verify(headers("v1," + BY_OPENSSL)::get, BODY))
                    .doesNotThrowAnyException();
        }
        for (long apart : new long[] {-301, 301, 86_400, -AT}) {
            assertThatThrownBy(() -> verifier(apart, secret).verify(headers("v1," + BY_OPENSSL)::get, BODY))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("away from this machine's clock");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "1e9", " 1614265330", "1614265330.0", "99999999999999999999", "１６１４２６５３３０"})
    void a_time_that_is_no_number_is_refused(String time) {
        Map<String, String> headers = headers("v1," + BY_OPENSSL);
        headers.put("webhook-timestamp", time);
        assertThatThrownBy(() -> verify(headers, BODY)).hasMessage("webhook-timestamp must be a number of seconds");
    }

    @ParameterizedTest
    @ValueSource(strings = {"webhook-id", "webhook-timestamp", "webhook-signature"})
    void a_header_that_is_missing_is_named(String name) {
        Map<String, String> headers = headers("v1," + BY_OPENSSL);
        headers.remove(name);
        assertThatThrownBy(() -> verify(headers, BODY)).hasMessage("header " + name + " is missing");
        headers.put(name, "");
        assertThatThrownBy(() -> verify(headers, BODY)).hasMessage("header " + name + " is missing");
    }

    @Test
    void parts_cannot_be_moved_between_id_time_and_body() {
        String signature = Secret.signatures(Secret.parse(secret), "a." + AT, Long.toString(AT), BODY);
        Map<String, String> moved = headers(signature);
        moved.put("webhook-id", "a." + AT);
        assertThatThrownBy(() -> verify(moved, BODY)).hasMessage("webhook-id must not contain a dot");
    }

    @Test
    void while_secrets_change_either_is_believed() {
        String old = WebhookOptions.newSecret();
        String signedByBoth = Secret.signatures(Secret.parse(secret, old), ID, Long.toString(AT), BODY);
        for (String known : List.of(secret, old)) {
            assertThatCode(() -> verifier(0, known).verify(headers(signedByBoth)::get, BODY))
                    .doesNotThrowAnyException();
        }
        assertThatCode(() -> verifier(0, old, secret).verify(headers("v1," + BY_OPENSSL)::get, BODY))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> verifier(0, old).verify(headers("v1," + BY_OPENSSL)::get, BODY))
                .hasMessageContaining("none of the 1 secrets");
    }

    @Test
    void a_secret_has_24_to_64_bytes_and_is_not_in_the_error() {
        assertThatCode(() -> WebhookVerifier.of(secret(24), secret(64))).doesNotThrowAnyException();
        for (String bad : List.of(
                secret(23),
                secret(65),
                secret.substring(6),
                secret.replace('A', '%'),
                "whsec_",
                "",
                "whsek_" + secret)) {
            assertThatThrownBy(() -> WebhookVerifier.of(WebhookOptions.newSecret(), bad))
                    .isInstanceOf(PostriderException.class)
                    .hasNoCause()
                    .hasMessage("secret 2 must be whsec_ and the base64 of 24..64 bytes;"
                            + " WebhookOptions.newSecret() makes one");
        }
        assertThatThrownBy(WebhookVerifier::of).hasMessage("secrets must be 1..10, were 0");
    }

    @Test
    void a_new_secret_is_another_each_time() {
        assertThat(WebhookOptions.newSecret()).startsWith("whsec_").isNotEqualTo(WebhookOptions.newSecret());
        assertThat(Base64.getDecoder().decode(WebhookOptions.newSecret().substring(6)))
                .hasSize(32);
    }

    private void assertForged(Map<String, String> headers, byte[] body) {
        assertThatThrownBy(() -> verify(headers, body))
                .isInstanceOf(PostriderException.class)
                .hasMessageStartingWith("webhook-signature was made with none of the 1 secrets");
    }

    private void verify(Map<String, String> headers, byte[] body) {
        verifier(0, secret).verify(headers::get, body);
    }

    private static WebhookVerifier verifier(long later, String... secrets) {
        Instant now = Instant.ofEpochSecond(AT).plus(Duration.ofSeconds(later));
        return new WebhookVerifier(Secret.parse(secrets), Clock.fixed(now, ZoneOffset.UTC));
    }

    private static Map<String, String> headers(String signature) {
        Map<String, String> headers = new HashMap<>();
        headers.put("webhook-id", ID);
        headers.put("webhook-timestamp", Long.toString(AT));
        headers.put("webhook-signature", signature);
        return headers;
    }

    /** The bytes 0, 1, 2 …: no secret at all, and another program can be given them. */
    private static String secret(int bytes) {
        byte[] key = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            key[i] = (byte) i;
        }
        return "whsec_" + Base64.getEncoder().encodeToString(key);
    }
}
