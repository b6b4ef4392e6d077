package io.postrider;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event to be emitted. Immutable and thread-safe.
 *
 * <p>The payload is JSON text and is stored as {@code jsonb}, which does not preserve key order, white space or repeated keys. If
 * content must be preserved byte for byte, put it in a string inside the payload.
 *
 * @param id identifies the event everywhere, so that consumers can detect duplicates
 * @param topic the topic it goes to, at most 100 characters; the first event emitted to a topic creates it
 * @param type what happened, such as {@code order.placed}; at most 200 characters
 * @param payload JSON text
 * @param key the ordering key: events with the same key are handled in order. After a failure, {@link FailurePolicy#PARK} holds
 *     back the later events of the key. At most 1,024 bytes; the same limit applies to each of the next four fields
 * @param projectId the project that the event belongs to
 * @param userId the user that the event concerns
 * @param aggregateType the kind of object that the event is about, such as {@code order}
 * @param aggregateId the id of that object
 * @param headers the JSON text of an object, at most 16 KiB: metadata that travels with the event and is not its content
 */
public record Event(
        UUID id,
        String topic,
        String type,
        String payload,
        @Nullable String key,
        @Nullable String projectId,
        @Nullable String userId,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        String headers) {

    private static final int LONGEST_REFERENCE = 1024;
    private static final int LONGEST_HEADERS = 16 * 1024;

    /**
     * Validates every field, because an error of the database would abort the caller's transaction.
     *
     * @throws PostriderException of kind REFUSED, with the field and its limit
     */
    public Event {
        Refuse.missing("id", id);
        Refuse.unlessName("topic", Refuse.missing("topic", topic));
        Refuse.unlessType("type", Refuse.missing("type", type));
        refuseReference("key", key);
        refuseReference("project id", projectId);
        refuseReference("user id", userId);
        refuseReference("aggregate type", aggregateType);
        refuseReference("aggregate id", aggregateId);
        Json.refuseUnlessJson("payload", Refuse.missing("payload", payload));
        Json.refuseUnlessObject("headers", Refuse.missing("headers", headers));
        refuseLong("headers", headers, LONGEST_HEADERS, "put content in the payload");
    }

    /** Creates an event with a new random id and only the required fields. */
    public static Event of(String topic, String type, String payload) {
        return new Event(UUID.randomUUID(), topic, type, payload, null, null, null, null, null, "{}");
    }

    /**
     * Returns the same event with this id. A producer that retries uses the same id, so that its consumers detect the duplicate.
     */
    public Event withId(UUID newId) {
        return new Event(newId, topic, type, payload, key, projectId, userId, aggregateType, aggregateId, headers);
    }

    /** Returns the same event with this key; null: none. */
    public Event withKey(@Nullable String newKey) {
        return new Event(id, topic, type, payload, newKey, projectId, userId, aggregateType, aggregateId, headers);
    }

    /** Returns the same event with this project; null: none. */
    public Event withProject(@Nullable String newProjectId) {
        return new Event(id, topic, type, payload, key, newProjectId, userId, aggregateType, aggregateId, headers);
    }

    /** Returns the same event with this user; null: none. */
    public Event withUser(@Nullable String newUserId) {
        return new Event(id, topic, type, payload, key, projectId, newUserId, aggregateType, aggregateId, headers);
    }

    /** Returns the same event with this aggregate; null: none. */
    public Event withAggregate(@Nullable String newType, @Nullable String newId) {
        return new Event(id, topic, type, payload, key, projectId, userId, newType, newId, headers);
    }

    /** Returns the same event with these headers, the JSON text of an object. */
    public Event withHeaders(String newHeaders) {
        return new Event(id, topic, type, payload, key, projectId, userId, aggregateType, aggregateId, newHeaders);
    }

    /** Returns the same event with these headers, each a string. */
    public Event withHeaders(Map<String, String> newHeaders) {
        return withHeaders(Json.object(newHeaders));
    }

    /** Limits the length, because an index must be able to hold the value. */
    static void refuseReference(String field, @Nullable String text) {
        refuseUnstorable(field, text);
        refuseLong(field, text, LONGEST_REFERENCE, "use a digest of it");
    }

    /**
     * PostgreSQL text cannot contain NUL, and the error would abort the caller's transaction. Half a surrogate pair would be
     * stored as '?'.
     */
    private static void refuseUnstorable(String field, @Nullable String text) {
        for (int i = 0; text != null && i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\0') {
                throw Json.nul(field);
            }
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    throw Json.half(field);
                }
                i++;
            }
        }
    }

    private static void refuseLong(String field, @Nullable String text, int longest, String instead) {
        if (text != null && text.length() > longest / 3 && text.getBytes(StandardCharsets.UTF_8).length > longest) {
            throw PostriderException.refused(field + " must have at most " + longest + " bytes; " + instead);
        }
    }
}
