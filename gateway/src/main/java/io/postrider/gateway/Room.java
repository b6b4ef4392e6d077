package io.postrider.gateway;

import io.postrider.LogEvent;
import org.jspecify.annotations.Nullable;

/**
 * What a connection may hear: the events of one project, {@code project:{id}}, or of one user, {@code user:{id}}. Two rooms are
 * the same if their text is, letter by letter: there is no pattern, no prefix and no case to fold, so there is nothing to get
 * around. Immutable.
 */
public record Room(Kind kind, String id) {
    /** Whose events. */
    public enum Kind {
        PROJECT("project:"),
        USER("user:");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }
    }

    /** Refuses an id that is none. */
    public Room {
        if (!Names.isId(id)) {
            throw Refusal.badRequest("the id of a room must match " + Names.ID + ", was '" + Names.shown(id) + "'");
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

    /** Reads {@code project:{id}} or {@code user:{id}}; anything else is refused with 400. */
    public static Room parse(String text) {
        for (Kind kind : Kind.values()) {
            if (text.startsWith(kind.prefix)) {
                return new Room(kind, text.substring(kind.prefix.length()));
            }
        }
        throw Refusal.badRequest("a room is project:{id} or user:{id}, was '" + Names.shown(text) + "'");
    }

    /** The room of an event's project or user; null if it has none, or one that no room can have. */
    static @Nullable Room orNull(Kind kind, @Nullable String id) {
        return id != null && Names.isId(id) ? new Room(kind, id) : null;
    }

    /** Whether the event belongs here. That somebody may hear a room does not mean that they may read all that is in it. */
    public boolean holds(LogEvent event) {
        return id.equals(kind == Kind.PROJECT ? event.projectId() : event.userId());
    }

    /** As it is written: {@code project:{id}}. */
    @Override
    public String toString() {
        return kind.prefix + id;
    }
}
