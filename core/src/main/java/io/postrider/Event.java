package io.postrider;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event to be emitted: immutable, safe to share among threads.
 *
 * <p>The payload is JSON text and is kept as {@code jsonb}: key order, white space and repeated keys are not. What must be
 * kept to the byte belongs in a string inside it.
 *
 * @param id the same in every place the event reaches, so that consumers can tell a duplicate
 * @param topic the log it goes to; exists as soon as something is emitted to it
 * @param type what happened, such as {@code order.placed}
 * @param payload JSON text
 * @param key events of one key are meant to be handled in order: what a parked listener holds back together
 * @param projectId whose it is
 * @param userId who it concerns
 * @param aggregateType the kind of thing it is about, such as {@code order}
 * @param aggregateId which of them
 * @param headers JSON text, an object; for what travels with the event and is not its content
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

    /** Refuses what the database would refuse, before the transaction is spoilt. */
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

    /** An event with a new id and nothing but what it must have. */
    public static Event of(String topic, String type, String payload) {
        return new Event(UUID.randomUUID(), topic, type, payload, null, null, null, null, null, "{}");
    }

    /** The same event with a given id: for a producer that tries again and wants its consumers to see that. */
    public Event withId(UUID newId) {
        return new Event(newId, topic, type, payload, key, projectId, userId, aggregateType, aggregateId, headers);
    }

    /** The same event with a key. */
    public Event withKey(@Nullable String newKey) {
        return new Event(id, topic, type, payload, newKey, projectId, userId, aggregateType, aggregateId, headers);
    }

    /** The same event for a project. */
    public Event withProject(@Nullable String newProjectId) {
        return new Event(id, topic, type, payload, key, newProjectId, userId, aggregateType, aggregateId, headers);
    }

    /** The same event for a user. */
    public Event withUser(@Nullable String newUserId) {
        return new Event(id, topic, type, payload, key, projectId, newUserId, aggregateType, aggregateId, headers);
    }

    /** The same event about one thing. */
    public Event withAggregate(@Nullable String newType, @Nullable String newId) {
        return new Event(id, topic, type, payload, key, projectId, userId, newType, newId, headers);
    }

    /** The same event with headers as the JSON text of an object. */
    public Event withHeaders(String newHeaders) {
        return new Event(id, topic, type, payload, key, projectId, userId, aggregateType, aggregateId, newHeaders);
    }

    /** The same event with headers given as a map of text. */
    public Event withHeaders(Map<String, String> newHeaders) {
        return withHeaders(Json.object(newHeaders));
    }

    /** An index must be able to hold it. */
    static void refuseReference(String field, @Nullable String text) {
        refuseUnstorable(field, text);
        refuseLong(field, text, LONGEST_REFERENCE, "use a digest of it");
    }

    /** No text can hold a NUL, and the error would spoil the caller's transaction; half a character would become a '?'. */
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
