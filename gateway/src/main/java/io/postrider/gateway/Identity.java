package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.gateway.internal.SafeNames;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The verified identity of a token and what it may access. Streams check access here; reads of the
 * API and of the event log are checked by the database's row-level security.
 *
 * @param subject the user's id
 * @param project the token's project; null only for an operator, or for a user without a project
 * @param reach the scope of the token
 * @param tokenId the token's id ({@code jti}), used to revoke it; if null, the token cannot be revoked
 * @param expires when the token expires, which also ends every stream that was opened with it
 */
public record Identity(
        String subject,
        @Nullable String project,
        Reach reach,
        @Nullable String tokenId,
        Instant expires) {

    /** The scope of a token. */
    public enum Reach {
        /** The subject's own events, in the token's project or without a project. */
        USER,
        /** Everything in the token's project. */
        PROJECT,
        /** Everything, including administration. */
        ALL
    }

    /** Rejects malformed ids. */
    public Identity {
        if (project != null && !SafeNames.isId(project)) {
            throw Refusal.unauthorized("project must match " + SafeNames.ID);
        }
        if (!SafeNames.isId(subject)) {
            throw Refusal.unauthorized("sub must match " + SafeNames.ID);
        }
        if (project == null && reach == Reach.PROJECT) {
            throw Refusal.unauthorized("a token with reach 'project' needs the claim project");
        }
        if (tokenId != null && !SafeNames.isId(tokenId)) {
            throw Refusal.unauthorized("jti must match " + SafeNames.ID);
        }
    }

    /** Whether it may read and administer everything. */
    public boolean isOperator() {
        return reach == Reach.ALL;
    }

    /** Whether it may join this room. Each event of the room is checked separately: {@link #mayRead}. */
    public boolean mayHear(Room room) {
        return switch (room.kind()) {
            case PROJECT -> isOperator() || (reach == Reach.PROJECT && room.id().equals(project));
            case USER -> isOperator() || room.id().equals(subject);
        };
    }

    /** Whether it may read this event. */
    public boolean mayRead(LogEvent event) {
        return mayRead(event.projectId(), event.userId());
    }

    /** Whether it may read an event, or anything else, of this project and user. */
    public boolean mayRead(@Nullable String projectId, @Nullable String userId) {
        return switch (reach) {
            case ALL -> true;
            case PROJECT -> projectId != null && projectId.equals(project);
            case USER -> subject.equals(userId) && (projectId == null || projectId.equals(project));
        };
    }
}
