package io.postrider.history;

import io.postrider.PostriderException;
import java.util.Set;

/** Rooms whose events are wanted: of these projects, and of these users. */
public record Rooms(Set<String> projects, Set<String> users) {
    /** So many of both kinds together. */
    public static final int MOST = 100;

    public Rooms {
        projects = Set.copyOf(projects);
        users = Set.copyOf(users);
        if (projects.size() + users.size() > MOST) {
            throw PostriderException.refused(
                    "rooms must be at most " + MOST + ", were " + (projects.size() + users.size()));
        }
    }
}
