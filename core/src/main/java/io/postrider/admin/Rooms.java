package io.postrider.admin;

import io.postrider.PostriderException;
import java.util.Set;

/** The rooms of a subscriber: the events of these projects and of these users. */
public record Rooms(Set<String> projects, Set<String> users) {
    /** The largest number of projects and users together. */
    public static final int MOST = 100;

    /** Refuses more than {@link #MOST}. */
    public Rooms {
        projects = Set.copyOf(projects);
        users = Set.copyOf(users);
        if (projects.size() + users.size() > MOST) {
            throw PostriderException.refused(
                    "the number of rooms must be at most " + MOST + ", was " + (projects.size() + users.size()));
        }
    }
}
