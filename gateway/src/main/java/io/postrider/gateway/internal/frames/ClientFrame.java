package io.postrider.gateway.internal.frames;

import io.postrider.gateway.Gateway;
import io.postrider.gateway.Refusal;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A frame from a WebSocket client: hello, a new token, or a message. Other types are rejected. Immutable. */
public final class ClientFrame {
    private static final List<String> HELLO = List.of("type", "token", "topic", "rooms", "position");

    private static final List<String> SEND = List.of("type", "id", "data");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private final JsonObject json;

    private ClientFrame(JsonObject json) {
        this.json = json;
    }

    /** Rejects text that is not one JSON object with 400. */
    public static ClientFrame read(String text) {
        try {
            return new ClientFrame(JsonObject.read(text));
        } catch (IllegalArgumentException e) {
            throw Refusal.badRequest("a frame is one JSON object with a type; " + e.getMessage());
        }
    }

    /** As a hello: {@code {"type":"hello","token":…,"topic":…,"rooms":[…],"position":N|null}}. */
    public Gateway.Wish hello() {
        refuseUnless("hello");
        Refusal.refuseUnknown("field of hello", json.names(), HELLO);
        List<String> rooms = json.texts("rooms");
        if (rooms == null || json.text("rooms") != null) {
            throw Refusal.badRequest("hello must have rooms, an array of strings");
        }
        return new Gateway.Wish(text("token"), text("topic"), rooms, position());
    }

    private @Nullable Long position() {
        if (json.isNothing("position")) {
            return null;
        }
        if (!json.isWhole("position")) {
            throw Refusal.badRequest("a position is a whole number, or null");
        }
        return json.number("position");
    }

    /** As a new token: {@code {"type":"token","token":…}}. */
    public String renewal() {
        refuseUnless("token");
        return text("token");
    }

    /** Whether it is a message for the application. */
    public boolean isMessage() {
        return "send".equals(json.text("type"));
    }

    /** A message for the application. */
    public record Message(String id, String data) {}

    /** As a message: {@code {"type":"send","id":…,"data":{…}}}. */
    public Message message() {
        refuseUnless("send");
        Refusal.refuseUnknown("field of send", json.names(), SEND);
        String id = text("id");
        if (!ID.matcher(id).matches()) {
            throw Refusal.badRequest("the id of a message must match " + ID.pattern());
        }
        String data = json.object("data");
        if (data == null) {
            throw Refusal.badRequest("the frame wants data, a JSON object");
        }
        return new Message(id, data);
    }

    private void refuseUnless(String type) {
        if (!type.equals(json.text("type"))) {
            throw Refusal.badRequest("a frame of type " + type + " is expected here");
        }
    }

    private String text(String name) {
        String text = json.text(name);
        if (text == null) {
            throw Refusal.badRequest("the frame must have the field " + name + ", a string");
        }
        return text;
    }
}
