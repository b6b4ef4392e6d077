package io.postrider.internal.shadow;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** 64 bits of SHA-256 over a message: over its canonical JSON, so that spaces and the order of names do not count. */
public final class MessageHash {
    /** Stands for a message that is not known. */
    public static final long UNKNOWN = 0;

    private MessageHash() {}

    public static long of(String message) {
        JsonNode json = JsonNode.read(message);
        return of(json, message);
    }

    static long of(@Nullable JsonNode json, String message) {
        byte[] bytes = (json == null ? message : json.canonical()).getBytes(StandardCharsets.UTF_8);
        try {
            long hash = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes))
                    .getLong();
            return hash == UNKNOWN ? 1 : hash;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }
}
