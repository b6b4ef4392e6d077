package io.postrider.server.api;

import io.postrider.gateway.Identity;

/** What a route asks of who calls it. Which objects they then find is asked of each object: {@link Identity#mayRead}. */
public enum Need {
    /** Nothing: it tells nothing that is not public. */
    NOBODY,
    /** Any valid token. */
    ANYONE,
    /** A token that reaches a project, or everything: a service's, not a browser's. */
    PROJECT,
    /** A token that reaches everything. */
    OPERATOR;

    /** Whether somebody has what it takes. */
    public boolean isMetBy(Identity who) {
        return switch (this) {
            case NOBODY, ANYONE -> true;
            case PROJECT -> who.reach() != Identity.Reach.USER;
            case OPERATOR -> who.isOperator();
        };
    }
}
