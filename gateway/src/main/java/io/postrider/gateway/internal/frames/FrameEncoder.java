package io.postrider.gateway.internal.frames;

import io.postrider.JsonText;
import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.Transport.Form;
import org.jspecify.annotations.Nullable;

/** Encodes frames for SSE and WebSocket. The format is documented in the README. */
public final class FrameEncoder {
    private FrameEncoder() {}

    public static EncodedFrame event(Form form, LogEvent event, MessageFormat format) {
        String json = format.text(event);
        return form == Form.SSE
                ? sse(event.position(), "event", oneLine(json), null)
                : socket(event.position(), "event", "\"position\":" + event.position() + ",\"event\":" + json, null);
    }

    /** There is nothing new; the client resumes from this position. */
    public static EncodedFrame position(Form form, long position) {
        return plain(form, position, "position", "\"position\":" + position, null);
    }

    /** The requested events are gone: the client fetches a snapshot and resumes from this position. */
    public static EncodedFrame snapshot(Form form, long oldest, long position) {
        return plain(form, position, "snapshot", "\"oldest\":" + oldest + ",\"position\":" + position, null);
    }

    public static EncodedFrame cut(Form form, DisconnectReason reason, long position) {
        return plain(form, position, "cut", "\"reason\":\"" + reason.word() + "\",\"position\":" + position, reason);
    }

    /** The new token was accepted and expires at this time. */
    public static EncodedFrame token(Form form, long position, long expires) {
        return plain(form, position, "token", "\"expires\":" + expires, null);
    }

    /** A message of the client is durable. */
    public static EncodedFrame ack(Form form, long position, String id, @Nullable String data) {
        return plain(
                form,
                position,
                "ack",
                "\"id\":" + JsonText.quoted(id) + (data == null ? "" : ",\"data\":" + data),
                null);
    }

    /** A message of the client was refused. */
    public static EncodedFrame nack(Form form, long position, String id, Refusal refusal) {
        String problem = refusal.problem();
        String members = problem.substring(problem.indexOf("\"title\""), problem.length() - 1);
        return plain(form, position, "nack", "\"id\":" + JsonText.quoted(id) + "," + members, null);
    }

    private static EncodedFrame plain(
            Form form, long position, String type, String members, @Nullable DisconnectReason last) {
        return form == Form.SSE
                ? sse(position, type, "{" + members + "}", last)
                : socket(position, type, members, last);
    }

    private static EncodedFrame sse(long position, String type, String data, @Nullable DisconnectReason last) {
        return EncodedFrame.of(
                Form.SSE, position, "id: " + position + "\nevent: " + type + "\ndata: " + data + "\n\n", last);
    }

    private static EncodedFrame socket(long position, String type, String members, @Nullable DisconnectReason last) {
        return EncodedFrame.of(Form.WEBSOCKET, position, "{\"type\":\"" + type + "\"," + members + "}", last);
    }

    /** A line break between JSON tokens would start a new, possibly forged, field in SSE. */
    private static String oneLine(String json) {
        return json.indexOf('\n') < 0 && json.indexOf('\r') < 0
                ? json
                : json.replace('\n', ' ').replace('\r', ' ');
    }
}
