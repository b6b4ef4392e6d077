package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.db.Database;
import io.postrider.gateway.Identity;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may write what, and under whose name. Project and user come from the token, not from the body: a body that names others is
 * refused. A token that reaches a user is in a browser, where anybody can read it, so it writes only what the settings name.
 *
 * @param userTopics topics to which a token that reaches a user may emit
 * @param userQueues queues on which it may enqueue
 */
public record Writing(Postrider postrider, Database database, Set<String> userTopics, Set<String> userQueues) {

    void refuseTopic(Identity who, String topic) {
        if (topic.startsWith("queue:")) {
            throw Problem.badRequest("topic " + Fields.shown(topic) + " is a lane of a queue; POST to /v1/queues/"
                    + Fields.shown(topic.substring("queue:".length())) + "/jobs instead");
        }
        refuse(who, userTopics.contains(topic), "emit to topic " + Fields.shown(topic), "postrider.api.user-topics");
    }

    void refuseQueue(Identity who, String queue) {
        refuse(who, userQueues.contains(queue), "enqueue on " + Fields.shown(queue), "postrider.api.user-queues");
    }

    private static void refuse(Identity who, boolean listed, String what, String setting) {
        if (who.reach() == Identity.Reach.USER && !listed) {
            throw Problem.forbidden(
                    "a token that reaches a user may not " + what,
                    "Use a token that reaches a project, or name it in the server's setting " + setting + ".");
        }
    }

    /** The project that what is written belongs to. */
    static @Nullable String project(Identity who, @Nullable String given) {
        if (who.isOperator()) {
            return given;
        }
        refuseOther("project_id", given, who.project());
        return who.project();
    }

    /** The user whom it concerns. */
    static @Nullable String user(Identity who, @Nullable String given) {
        if (who.reach() != Identity.Reach.USER) {
            return given;
        }
        refuseOther("user_id", given, who.subject());
        return who.subject();
    }

    /**
     * A key of jobs, which are compared in a whole queue: what one project or user calls its own must not meet, hold up or tell of
     * what another does.
     */
    static @Nullable String own(Identity who, @Nullable String key) {
        if (key == null || who.isOperator()) {
            return key;
        }
        return who.reach() == Identity.Reach.USER
                ? who.project() + "//" + who.subject() + "/" + key
                : who.project() + "/" + key;
    }

    private static void refuseOther(String field, @Nullable String given, @Nullable String own) {
        if (given != null && !given.equals(own)) {
            throw Problem.forbidden(
                    field + " is not the token's",
                    "Leave it out: it is taken from the token, unless that reaches all.");
        }
    }
}
