package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.gateway.Transport.Form;
import org.jspecify.annotations.Nullable;

/** An event at the hub, with its frames: each is made when the first one wants it, and then shared. Hub thread only. */
final class Published {
    /** Of JSON that is not in the payload: attributes, names, a frame's own. */
    private static final int AROUND = 500;

    /** What memory an event takes: itself, and a frame of each form. */
    private static final int COPIES = 3;

    private final LogEvent event;
    private final @Nullable Room project;
    private final @Nullable Room user;
    private @Nullable Frame sse;
    private @Nullable Frame socket;

    Published(LogEvent event) {
        this.event = event;
        this.project = Room.orNull(Room.Kind.PROJECT, event.projectId());
        this.user = Room.orNull(Room.Kind.USER, event.userId());
    }

    LogEvent event() {
        return event;
    }

    long position() {
        return event.position();
    }

    /** The rooms that it is in; null: in none of that kind. */
    @Nullable
    Room project() {
        return project;
    }

    @Nullable
    Room user() {
        return user;
    }

    Frame frame(Form form) {
        return form == Form.SSE ? sse() : socket();
    }

    private Frame sse() {
        if (sse == null) {
            sse = Frames.event(Form.SSE, event);
        }
        return sse;
    }

    private Frame socket() {
        if (socket == null) {
            socket = Frames.event(Form.WEBSOCKET, event);
        }
        return socket;
    }

    /** About how many bytes it takes, with its frames. */
    int size() {
        return COPIES * (event.payload().length() + event.headers().length() + AROUND);
    }
}
