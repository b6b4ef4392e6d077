package io.postrider.proof.history;

import java.util.List;

/**
 * Which commits a transaction could see when it emitted an event.
 *
 * @param snapshot the emitting statement's own snapshot, or {@link Snapshot#NONE}
 * @param keys the versions of other keys that it had read: it saw every holder up to them
 */
public record Visibility(Snapshot snapshot, List<KeyVersion> keys) {
    /** It is not known to have seen anything. */
    public static final Visibility NOTHING = new Visibility(Snapshot.NONE, List.of());

    public Visibility {
        keys = List.copyOf(keys);
    }
}
