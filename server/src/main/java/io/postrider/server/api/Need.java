package io.postrider.server.api;

import io.postrider.gateway.Identity;

/** The token that a route requires. Access to each object is checked separately: by row-level security in the
 * database for reads, by {@link Writing} for writes. */
public enum Need {
    /** No token: the route only returns public information. */
    NOBODY,
    /** Any valid token. */
    ANYONE,
    /** A token with reach project or all: a service's, not a browser's. */
    PROJECT,
    /** A token with reach all. */
    OPERATOR;

    /** Whether the caller's token suffices. */
    public boolean isMetBy(Identity who) {
        return switch (this) {
            case NOBODY, ANYONE -> true;
            case PROJECT -> who.reach() != Identity.Reach.USER;
            case OPERATOR -> who.isOperator();
        };
    }
}
