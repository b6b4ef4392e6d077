package io.postrider.livechat;

import java.time.Duration;
import java.util.Optional;

/**
 * The tokens of the gateway, as the example needs them: the same token opens the stream and the chat's own API. Implemented by
 * whoever mounts the example, on the secret that its gateway knows.
 */
public interface Passes {
    /** A token for a guest: subject the user, its project, reach {@code project} for an agent and {@code user} for a visitor. */
    String issue(Guest guest, Duration life);

    /** Who brings this token; empty if it is forged, expired, or of somebody else's making. */
    Optional<Guest> check(String token);
}
