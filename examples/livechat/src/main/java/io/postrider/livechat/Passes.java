package io.postrider.livechat;

import java.time.Duration;
import java.util.Optional;

/**
 * Issues and verifies the gateway's tokens for the example: the same token opens the stream and the chat's own API. The
 * application that mounts the example implements it, with the secret of its gateway.
 */
public interface Passes {
    /** A token for a guest: the user as subject, the project, reach {@code project} for agents and {@code user} for visitors. */
    String issue(Guest guest, Duration life);

    /** The guest of this token; empty if it is forged, expired, or issued for another audience. */
    Optional<Guest> check(String token);
}
