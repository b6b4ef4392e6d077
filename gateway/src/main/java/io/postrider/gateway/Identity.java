package io.postrider.gateway;

import io.postrider.LogEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Who somebody is and how far they may see, as a verified token says. Every path asks here, so that there is one answer.
 *
 * @param subject the user's id
 * @param project the project the token is for; null only for an operator, or for a user of no project
 * @param reach how far the token reaches
 * @param tokenId the token's own id ({@code jti}), by which it is revoked; null: it cannot be
 * @param expires when the token ends, and with it every stream that was opened with it
 */
public record Identity(
        String subject,
        @Nullable String project,
        Reach reach,
        @Nullable String tokenId,
        Instant expires) {

    /** How far a token reaches. */
    public enum Reach {
        /** One's own events, of the token's project or of none. */
        USER,
        /** Everything of the token's project. */
        PROJECT,
        /** Everything, and steering. */
        ALL
    }

    /** Refuses ids that are none. */
    public Identity {
        if (project != null && !Names.isId(project)) {
            throw Refusal.unauthorized("project must match " + Names.ID);
        }
        if (!Names.isId(subject)) {
            throw Refusal.unauthorized("sub must match " + Names.ID);
        }
        if (project == null && reach == Reach.PROJECT) {
            throw Refusal.unauthorized("a token with reach 'project' needs the claim project");
        }
        if (tokenId != null && !Names.isId(tokenId)) {
            throw Refusal.unauthorized("jti must match " + Names.ID);
        }
    }

    /** Whether everything may be seen and steered. */
    public boolean isOperator() {
        return reach == Reach.ALL;
    }

    /** Whether this room may be entered. What is heard in it is asked event by event: {@link #mayRead}. */
    public boolean mayHear(Room room) {
        return switch (room.kind()) {
            case PROJECT -> isOperator() || (reach == Reach.PROJECT && room.id().equals(project));
            case USER -> isOperator() || room.id().equals(subject);
        };
    }

    /** Whether an event is in reach. */
    public boolean mayRead(LogEvent event) {
        return mayRead(event.projectId(), event.userId());
    }

    /** Whether an event, or anything else, of this project and user is in reach. */
    public boolean mayRead(@Nullable String projectId, @Nullable String userId) {
        return switch (reach) {
            case ALL -> true;
            case PROJECT -> projectId != null && projectId.equals(project);
            case USER -> subject.equals(userId) && (projectId == null || projectId.equals(project));
        };
    }
}
