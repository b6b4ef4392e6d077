package io.postrider;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a caller: which events and jobs it may see. Everything, those of one project, or those of one user. The same rule
 * applies on every path: here, in the row-level security policies of the event log, and in the gateway. Immutable and
 * thread-safe.
 */
public final class Reach {
    /** The kind of scope. */
    public enum Kind {
        /** Everything. */
        ALL,
        /** Events of one project. */
        PROJECT,
        /** Events of one user that belong to one project or to no project. */
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

    /** Everything: for operators and for Postrider itself. */
    public static Reach all() {
        return ALL;
    }

    /** The events of a project. */
    public static Reach project(String id) {
        return new Reach(Kind.PROJECT, unlessId("project", Refuse.missing("project", id)), null);
    }

    /**
     * The events of a user that belong to this project or to no project.
     *
     * @param project null: only events without a project
     */
    public static Reach user(String id, @Nullable String project) {
        return new Reach(
                Kind.USER,
                project == null ? null : unlessId("project", project),
                unlessId("user", Refuse.missing("user", id)));
    }

    /** Refuses an empty id, which the database reads as no project or user, and NUL, which PostgreSQL text cannot contain. */
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

    /** The project; null if there is none. */
    public @Nullable String project() {
        return project;
    }

    /** The user, for {@link Kind#USER}; null otherwise. */
    public @Nullable String user() {
        return user;
    }

    /** Whether an event or a job with this project and this user is in reach. */
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
