package io.postrider.gateway;

import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.gateway.Transport.Form;
import org.jspecify.annotations.Nullable;

/** How each frame is written, for SSE and for WebSocket. The README has it as a reference. */
final class Frames {
    private Frames() {}

    static Frame event(Form form, LogEvent event) {
        String json = Envelope.json(event);
        return form == Form.SSE
                ? sse(event.position(), "event", oneLine(json), null)
                : socket(event.position(), "event", "\"position\":" + event.position() + ",\"event\":" + json, null);
    }

    /** Nothing new up to here: go on from this position. */
    static Frame position(Form form, long position) {
        return plain(form, position, "position", "\"position\":" + position, null);
    }

    /** What was asked for is not there any more: fetch a snapshot, go on from this position. */
    static Frame snapshot(Form form, long oldest, long position) {
        return plain(form, position, "snapshot", "\"oldest\":" + oldest + ",\"position\":" + position, null);
    }

    static Frame cut(Form form, Cut reason, long position) {
        return plain(form, position, "cut", "\"reason\":\"" + reason.word() + "\",\"position\":" + position, reason);
    }

    /** The new token was taken, and holds so long. */
    static Frame token(Form form, long position, long expires) {
        return plain(form, position, "token", "\"expires\":" + expires, null);
    }

    private static Frame plain(Form form, long position, String type, String members, @Nullable Cut last) {
        return form == Form.SSE
                ? sse(position, type, "{" + members + "}", last)
                : socket(position, type, members, last);
    }

    private static Frame sse(long position, String type, String data, @Nullable Cut last) {
        return Frame.of(Form.SSE, position, "id: " + position + "\nevent: " + type + "\ndata: " + data + "\n\n", last);
    }

    private static Frame socket(long position, String type, String members, @Nullable Cut last) {
        return Frame.of(Form.WEBSOCKET, position, "{\"type\":\"" + type + "\"," + members + "}", last);
    }

    /** A line break in JSON is white space between tokens, but in SSE it would begin another field: a forged one, maybe. */
    private static String oneLine(String json) {
        return json.indexOf('\n') < 0 && json.indexOf('\r') < 0
                ? json
                : json.replace('\n', ' ').replace('\r', ' ');
    }
}
