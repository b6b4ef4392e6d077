package io.postrider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A place in a topic: where a new listener begins ({@link Listener#withStart}), or where a reset moves an existing one
 * ({@link Postrider#reset}). A listener that already exists continues at its cursor and ignores {@code withStart}.
 */
public final class StartPoint {
    /** The kind of starting point. */
    public enum Kind {
        BEGINNING,
        END,
        POSITION,
        TIME
    }

    private final Kind kind;
    private final long position;
    private final @Nullable Instant time;

    private StartPoint(Kind kind, long position, @Nullable Instant time) {
        this.kind = kind;
        this.position = position;
        this.time = time;
    }

    /** Starts at the oldest event that retention has kept. */
    public static StartPoint beginning() {
        return new StartPoint(Kind.BEGINNING, 0, null);
    }

    /** Starts after the last event that has a position when the listener is created. */
    public static StartPoint end() {
        return new StartPoint(Kind.END, 0, null);
    }

    /** Starts with the event at this position, which is at least 1. */
    public static StartPoint position(long first) {
        if (first < 1) {
            throw PostriderException.refused("start position must be at least 1, was " + first);
        }
        return new StartPoint(Kind.POSITION, first, null);
    }

    /** Starts with the first event in log order that was created at this time or later. */
    public static StartPoint time(Instant from) {
        return new StartPoint(Kind.TIME, 0, from);
    }

    public Kind kind() {
        return kind;
    }

    /** The position, for {@link Kind#POSITION}. */
    public long position() {
        return position;
    }

    /** The time, for {@link Kind#TIME}. */
    public @Nullable Instant time() {
        return time;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case BEGINNING -> "beginning";
            case END -> "end";
            case POSITION -> "position " + position;
            case TIME -> "time " + time;
        };
    }
}
