package io.postrider.gateway.internal.hub;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.gateway.Room;
import io.postrider.gateway.Transport.Form;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.frames.FrameEncoder;
import org.jspecify.annotations.Nullable;

/** An event with its encoded frames, each encoded at its first use and then shared. Hub thread only. */
final class PublishedEvent {
    /** Estimated size of the JSON around the payload: attributes, names and the frame. */
    private static final int AROUND = 500;

    /** Copies in memory: the event and one frame of each form. */
    private static final int COPIES = 3;

    private final LogEvent event;
    private final MessageFormat format;
    private final @Nullable Room project;
    private final @Nullable Room user;
    private @Nullable EncodedFrame sse;
    private @Nullable EncodedFrame socket;

    PublishedEvent(LogEvent event, MessageFormat format) {
        this.format = format;
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

    /** The project room of the event; null if it has none. */
    @Nullable
    Room project() {
        return project;
    }

    @Nullable
    Room user() {
        return user;
    }

    EncodedFrame frame(Form form) {
        return form == Form.SSE ? sse() : socket();
    }

    private EncodedFrame sse() {
        if (sse == null) {
            sse = FrameEncoder.event(Form.SSE, event, format);
        }
        return sse;
    }

    private EncodedFrame socket() {
        if (socket == null) {
            socket = FrameEncoder.event(Form.WEBSOCKET, event, format);
        }
        return socket;
    }

    /** Estimated number of bytes, including its frames. */
    int size() {
        return COPIES * (event.payload().length() + event.headers().length() + AROUND);
    }
}
