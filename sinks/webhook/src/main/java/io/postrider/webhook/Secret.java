package io.postrider.webhook;

import io.postrider.PostriderException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that sender and receiver share, written as {@code whsec_} and the base64 of its bytes. No error message and no
 * {@code toString} reveals it. Immutable, safe to share among threads.
 */
final class Secret {
    static final String PREFIX = "whsec_";
    /** As Standard Webhooks requires: 192 to 512 bits. */
    private static final int FEWEST = 24;

    private static final int MOST = 64;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private Secret(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** @param number its index among several, for the error message, which must not contain the text */
    static Secret parse(int number, String text) {
        byte[] bytes;
        try {
            bytes = text.startsWith(PREFIX) ? Base64.getDecoder().decode(text.substring(PREFIX.length())) : new byte[0];
        } catch (IllegalArgumentException e) {
            bytes = new byte[0]; // no cause: its message would quote characters of the secret
        }
        if (bytes.length < FEWEST || bytes.length > MOST) {
            throw PostriderException.refused("secret " + number + " must be " + PREFIX + " and the base64 of " + FEWEST
                    + ".." + MOST + " bytes; WebhookOptions.newSecret() makes one");
        }
        return new Secret(bytes);
    }

    static List<Secret> parse(String... texts) {
        List<Secret> secrets = new ArrayList<>();
        for (String text : texts) {
            secrets.add(parse(secrets.size() + 1, text));
        }
        return List.copyOf(secrets);
    }

    /** The HMAC-SHA256 of {@code id.timestamp.body}. */
    byte[] sign(String id, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** One signature per secret, in the format of the header. */
    static String signatures(List<Secret> secrets, String id, String timestamp, byte[] body) {
        StringBuilder header = new StringBuilder();
        for (Secret secret : secrets) {
            header.append(header.isEmpty() ? "v1," : " v1,")
                    .append(Base64.getEncoder().encodeToString(secret.sign(id, timestamp, body)));
        }
        return header.toString();
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
