package io.postrider.server.api;

import io.postrider.Reach;
import io.postrider.gateway.Identity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Translates an identity into the terms of the database. */
final class Callers {
    private Callers() {}

    static Reach reach(Identity who) {
        String project = who.project();
        return switch (who.reach()) {
            case ALL -> Reach.all();
            case PROJECT -> Reach.project(String.valueOf(project));
            case USER -> Reach.user(who.subject(), project);
        };
    }

    static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }
}
