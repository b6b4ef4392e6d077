package io.postrider.redis;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Authenticates messages on a channel: an additional first attribute, {@code "signature":"…"}, is an HMAC-SHA256 of channel and
 * envelope. Consumers without the secret ignore it. It costs about 5 µs per 1 KB on either side. Safe to share.
 */
final class Seal {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String OPENING = "{\"signature\":\"";
    private static final int LENGTH = 43;

    private final SecretKeySpec key;

    Seal(String secret) {
        this.key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    /** The envelope, signed for this channel. */
    String seal(String channel, String envelope) {
        return OPENING + signature(channel, envelope) + "\"," + envelope.substring(1);
    }

    /** The envelope of a signed message; empty if the signature is missing or wrong. */
    Optional<String> open(String channel, String message) {
        int end = OPENING.length() + LENGTH;
        if (!message.startsWith(OPENING) || !message.startsWith("\",", end)) {
            return Optional.empty();
        }
        String envelope = "{" + message.substring(end + 2);
        byte[] claimed = message.substring(OPENING.length(), end).getBytes(StandardCharsets.UTF_8);
        byte[] right = signature(channel, envelope).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(claimed, right) ? Optional.of(envelope) : Optional.empty();
    }

    private String signature(String channel, String envelope) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(channel.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            byte[] sum = mac.doFinal(envelope.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(sum);
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }
}
