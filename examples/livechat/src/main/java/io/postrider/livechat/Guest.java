package io.postrider.livechat;

import io.postrider.gateway.Identity;
import java.util.Optional;

/**
 * The caller, as identified by a token.
 *
 * @param user the id of a visitor or an agent
 * @param agent whether the token reaches the whole project; a visitor's token reaches that visitor's own events
 */
public record Guest(String user, String project, boolean agent) {
    /** The guest with this verified token; empty if the token is for no project. */
    static Optional<Guest> of(Identity identity) {
        return identity.project() == null
                ? Optional.empty()
                : Optional.of(
                        new Guest(identity.subject(), identity.project(), identity.reach() == Identity.Reach.PROJECT));
    }
}
