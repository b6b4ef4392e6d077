package io.postrider.gateway;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who was let in, and what for. Made by {@link Gateway#admit} only.
 *
 * @param rooms every one of them may be heard
 * @param position what they have already; null: they begin now
 */
record Entry(
        Identity identity,
        String topic,
        Set<Room> rooms,
        @Nullable Long position) {
    Entry {
        rooms = Set.copyOf(rooms);
    }
}
