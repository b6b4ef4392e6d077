package io.postrider.proof;

import java.util.List;

/**
 * Which commits a transaction could see when it emitted an event.
 *
 * @param snapshot the emitting statement's own snapshot, or {@link Snapshot#NONE}
 * @param keys the versions of other keys that it had read: it saw every holder up to them
 */
public record Sight(Snapshot snapshot, List<KeyVersion> keys) {
    /** It is not known to have seen anything. */
    public static final Sight NOTHING = new Sight(Snapshot.NONE, List.of());

    public Sight {
        keys = List.copyOf(keys);
    }
}
