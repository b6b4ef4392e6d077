package io.postrider.webhook;

import io.postrider.PostriderException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's side: tells whether a message is from somebody who has the secret, is unchanged, and is not old. Works with
 * messages of any sender that signs in the Standard Webhooks form with a symmetric key. Immutable, safe to share among threads.
 *
 * <p>A genuine message may still come twice, as everything that is delivered at least once: {@code webhook-id} tells.
 */
public final class WebhookVerifier {
    /** As Standard Webhooks advises: enough for clocks that differ, too little to keep a message for later. */
    private static final Duration TOLERANCE = Duration.ofMinutes(5);

    /** A sender has one or two. Who sends more wants to see us compute. */
    private static final int MOST_SIGNATURES = 10;

    private final List<Secret> secrets;
    private final Clock clock;

    WebhookVerifier(List<Secret> secrets, Clock clock) {
        this.secrets = secrets;
        this.clock = clock;
    }

    /** A message is genuine if any of these secrets has signed it: the new one and the old one while they change. */
    public static WebhookVerifier of(String... secrets) {
        if (secrets.length == 0 || secrets.length > 10) {
            throw PostriderException.refused("secrets must be 1..10, were " + secrets.length);
        }
        return new WebhookVerifier(Secret.parse(secrets), Clock.systemUTC());
    }

    /**
     * Returns if the message is genuine, and else throws: who forgets to look at the result must not take a forgery.
     *
     * @param header gives a header's value by its name, or null: {@code request::getHeader}
     * @param body the bytes as they came, before anything has parsed them
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

    /** How a request's header is looked up. */
    @FunctionalInterface
    public interface Header {
        /** The first value of this name, in whatever case; null if there is none. */
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

    /** Compares each with each, and in a time that does not depend on where they differ. */
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

    /** What is not of our version, or no base64, is equal to nothing. */
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
