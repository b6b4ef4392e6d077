package io.postrider.internal.shadow;

import io.postrider.PublishedMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages of another publisher have their id and their payload: {@code field:NAME} for a header or a field of an entry,
 * {@code json:PATH} for a member of the body, {@code body} for the body. Null: the places of our own formats, and those that outbox
 * publishers usually have.
 */
record MessagePlaces(@Nullable String id, @Nullable String payload) {
    private static final List<String> ID_PLACES =
            List.of("field:ce_id", "field:event_id", "field:id", "json:event_id", "json:id");
    private static final List<String> PAYLOAD_FIELDS = List.of("data", "payload");

    Seen read(PublishedMessage message) {
        JsonNode body = JsonNode.read(message.body());
        String foundId = "";
        @Nullable String foundAt = null;
        for (String place : id == null ? ID_PLACES : List.of(id)) {
            String text = text(message, body, place);
            if (text != null) {
                foundId = text;
                foundAt = place;
                break;
            }
        }
        long whole = MessageHash.of(body, message.body());
        String content = payload == null ? usualPayload(message, body) : text(message, body, payload);
        if (content != null) {
            return new Seen(message.lane(), foundId, whole, MessageHash.of(content));
        }
        if (payload != null) {
            return new Seen(
                    message.lane(), foundId, whole, MessageHash.UNKNOWN + 1); // it lacks its payload: equal to none
        }
        // The body is the payload, perhaps with the id added to it.
        long withoutId = body != null && foundAt != null && foundAt.startsWith("json:")
                ? MessageHash.of(body.without(foundAt.substring(5)), message.body())
                : whole;
        return new Seen(message.lane(), foundId, withoutId, whole);
    }

    private static @Nullable String usualPayload(PublishedMessage message, @Nullable JsonNode body) {
        for (String field : PAYLOAD_FIELDS) {
            if (message.fields().containsKey(field)) {
                return message.fields().get(field);
            }
        }
        JsonNode data = body != null && body.at("specversion") != null ? body.at("data") : null;
        return data == null ? null : data.canonical();
    }

    private static @Nullable String text(PublishedMessage message, @Nullable JsonNode body, String place) {
        if (place.equals("body")) {
            return message.body();
        }
        if (place.startsWith("field:")) {
            return message.fields().get(place.substring(6));
        }
        JsonNode found = body == null ? null : body.at(place.substring(5));
        return found == null ? null : found.text();
    }
}
