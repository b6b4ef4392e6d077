package io.postrider;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What somebody may see: everything, the events of one project, or those of one user. The same rule on every path: here, in
 * the policies of the event log, in the gateway. Immutable, safe to share.
 */
public final class Reach {
    /** How far it goes. */
    public enum Kind {
        /** Everything. */
        ALL,
        /** Events of one project. */
        PROJECT,
        /** Events of one user that belong to one project, or to none. */
        USER
    }

    private static final Reach ALL = new Reach(Kind.ALL, null, null);

    private final Kind kind;
    private final @Nullable String project;
    private final @Nullable String user;

    private Reach(Kind kind, @Nullable String project, @Nullable String user) {
        this.kind = kind;
        this.project = project;
        this.user = user;
    }

    /** Everything: for an operator, and for the house itself. */
    public static Reach all() {
        return ALL;
    }

    /** The events of a project. */
    public static Reach project(String id) {
        return new Reach(Kind.PROJECT, unlessId("project", Refuse.missing("project", id)), null);
    }

    /**
     * The events of a user that are of this project, or of none.
     *
     * @param project null: only those of none
     */
    public static Reach user(String id, @Nullable String project) {
        return new Reach(
                Kind.USER,
                project == null ? null : unlessId("project", project),
                unlessId("user", Refuse.missing("user", id)));
    }

    /** An empty one would be no project and no user to the database; a NUL cannot even be said to it. */
    private static String unlessId(String what, String id) {
        if (id.isEmpty() || id.length() > 1_024 || id.indexOf('\0') >= 0) {
            throw PostriderException.refused(
                    what + " must have 1..1024 characters and no NUL, was '" + Refuse.shortened(id) + "'");
        }
        return id;
    }

    public Kind kind() {
        return kind;
    }

    /** The project, if there is one. */
    public @Nullable String project() {
        return project;
    }

    /** The user, for {@link Kind#USER}. */
    public @Nullable String user() {
        return user;
    }

    /** Whether an event, or a job, of this project and this user is in reach. */
    public boolean covers(@Nullable String projectId, @Nullable String userId) {
        return switch (kind) {
            case ALL -> true;
            case PROJECT -> Objects.equals(project, projectId);
            case USER -> Objects.equals(user, userId) && (projectId == null || projectId.equals(project));
        };
    }

    /** Whether an event is in reach. */
    public boolean covers(LogEvent event) {
        return covers(event.projectId(), event.userId());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Reach that
                && kind == that.kind
                && Objects.equals(project, that.project)
                && Objects.equals(user, that.user);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, project, user);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case ALL -> "all";
            case PROJECT -> "project " + project;
            case USER -> "user " + user + (project == null ? "" : " in project " + project);
        };
    }
}
