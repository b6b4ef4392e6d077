package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.gateway.internal.SafeNames;
import org.jspecify.annotations.Nullable;

/**
 * A set of events that a connection can subscribe to: those of one project, {@code project:{id}}, or of one user,
 * {@code user:{id}}. Two rooms are equal only if their text is identical: without patterns, prefixes or case folding there is
 * nothing to bypass. Immutable.
 */
public record Room(Kind kind, String id) {
    /** The kind of owner. */
    public enum Kind {
        PROJECT("project:"),
        USER("user:");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }
    }

    /** Rejects a malformed id. */
    public Room {
        if (!SafeNames.isId(id)) {
            throw Refusal.badRequest(
                    "the id of a room must match " + SafeNames.ID + ", was '" + SafeNames.shown(id) + "'");
        }
    }

    /** The room of a project. */
    public static Room project(String id) {
        return new Room(Kind.PROJECT, id);
    }

    /** The room of a user. */
    public static Room user(String id) {
        return new Room(Kind.USER, id);
    }

    /** Parses {@code project:{id}} or {@code user:{id}}; anything else is refused with 400. */
    public static Room parse(String text) {
        for (Kind kind : Kind.values()) {
            if (text.startsWith(kind.prefix)) {
                return new Room(kind, text.substring(kind.prefix.length()));
            }
        }
        throw Refusal.badRequest("a room is project:{id} or user:{id}, was '" + SafeNames.shown(text) + "'");
    }

    /** The room of an event's project or user; null if the event has none, or an id that is not valid for a room. */
    public static @Nullable Room orNull(Kind kind, @Nullable String id) {
        return id != null && SafeNames.isId(id) ? new Room(kind, id) : null;
    }

    /** Whether the event belongs to this room. A subscriber of the room may still not be allowed to read every event in it. */
    public boolean holds(LogEvent event) {
        return id.equals(kind == Kind.PROJECT ? event.projectId() : event.userId());
    }

    /** Its text: {@code project:{id}}. */
    @Override
    public String toString() {
        return kind.prefix + id;
    }
}
