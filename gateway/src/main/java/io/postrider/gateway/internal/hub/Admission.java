package io.postrider.gateway.internal.hub;

import io.postrider.gateway.Identity;
import io.postrider.gateway.Room;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An authorized request for a stream. Only the gateway creates it, after all checks.
 *
 * @param rooms the rooms, all of which the token covers
 * @param position the last position that the client has; null to start with new events
 */
public record Admission(
        Identity identity,
        String topic,
        Set<Room> rooms,
        @Nullable Long position) {
    public Admission {
        rooms = Set.copyOf(rooms);
    }
}
