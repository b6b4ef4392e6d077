package io.postrider.webhook;

import io.postrider.PostriderException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's side: verifies that a message was signed with the secret, is unchanged, and is recent. Works with any sender
 * that signs in the Standard Webhooks format with a symmetric key. Immutable, safe to share among threads.
 *
 * <p>A genuine message may still arrive twice, because delivery is at-least-once; use {@code webhook-id} to detect duplicates.
 */
public final class WebhookVerifier {
    /** As Standard Webhooks recommends: enough for clock skew, too short to replay a message later. */
    private static final Duration TOLERANCE = Duration.ofMinutes(5);

    /** A sender has one or two. More would only serve to make the receiver compute signatures. */
    private static final int MOST_SIGNATURES = 10;

    private final List<Secret> secrets;
    private final Clock clock;

    WebhookVerifier(List<Secret> secrets, Clock clock) {
        this.secrets = secrets;
        this.clock = clock;
    }

    /** A message is genuine if any of these secrets has signed it: both the new and the old one during a rotation. */
    public static WebhookVerifier of(String... secrets) {
        if (secrets.length == 0 || secrets.length > 10) {
            throw PostriderException.refused("secrets must be 1..10, were " + secrets.length);
        }
        return new WebhookVerifier(Secret.parse(secrets), Clock.systemUTC());
    }

    /**
     * Returns if the message is genuine and throws otherwise, so that a caller who forgets to check a result cannot accept a
     * forgery.
     *
     * @param header returns the value of a header by its name, or null: {@code request::getHeader}
     * @param body the raw bytes as received, before any parsing
     * @throws PostriderException of kind REFUSED, with the reason
     */
    public void verify(Header header, byte[] body) {
        String id = present(header, "webhook-id");
        String timestamp = present(header, "webhook-timestamp");
        String signatures = present(header, "webhook-signature");
        if (id.indexOf('.') >= 0) {
            // "a.1" at 2 and "a" at 1 would sign the same text
            throw PostriderException.refused("webhook-id must not contain a dot");
        }
        refuseUnlessNow(timestamp);
        if (!isSigned(id, timestamp, signatures, body)) {
            throw PostriderException.refused("webhook-signature was made with none of the " + secrets.size()
                    + " secrets, or the message was changed; compare the secrets, and verify the body's raw bytes");
        }
    }

    /** Looks up a header of the request. */
    @FunctionalInterface
    public interface Header {
        /** The first value of this name, which is not case-sensitive; null if it is missing. */
        @Nullable
        String get(String name);
    }

    private static String present(Header header, String name) {
        String value = header.get(name);
        if (value == null || value.isEmpty()) {
            throw PostriderException.refused("header " + name + " is missing");
        }
        return value;
    }

    private void refuseUnlessNow(String timestamp) {
        if (timestamp.length() > 12 || !timestamp.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw PostriderException.refused("webhook-timestamp must be a number of seconds");
        }
        long apart = Math.abs(clock.instant().getEpochSecond() - Long.parseLong(timestamp));
        if (apart > TOLERANCE.toSeconds()) {
            throw PostriderException.refused(
                    "webhook-timestamp is " + apart + " s away from this machine's clock, more than "
                            + TOLERANCE.toSeconds() + "; it is an old message sent again, or a clock is wrong");
        }
    }

    /** Compares each signature with each secret, in constant time. */
    private boolean isSigned(String id, String timestamp, String signatures, byte[] body) {
        boolean signed = false;
        String[] each = signatures.split(" ", MOST_SIGNATURES + 1);
        for (Secret secret : secrets) {
            byte[] expected = secret.sign(id, timestamp, body);
            for (int i = 0; i < Math.min(each.length, MOST_SIGNATURES); i++) {
                signed |= MessageDigest.isEqual(expected, decoded(each[i]));
            }
        }
        return signed;
    }

    /** A signature of another version, or one that is not base64, matches nothing. */
    private static byte[] decoded(String signature) {
        if (!signature.startsWith("v1,")) {
            return new byte[0];
        }
        try {
            return Base64.getDecoder().decode(signature.substring(3));
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }
}
