package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.db.Database;
import io.postrider.gateway.Identity;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may write what, and under whose name. Project and user come from the token, not from the body: a body that names others is
 * refused. A token that reaches a user is in a browser, where anybody can read it, so it writes only what the settings name; one
 * that reaches a project writes where there is something already, and makes no topics and queues of its own.
 */
public final class Writing {
    private final Postrider postrider;
    private final Database database;
    private final Permitted permitted;
    private final int payloadCap;
    private final Known known;
    private final WriteRates rates;

    /** Into this database, by these rules. */
    public Writing(Postrider postrider, Database database, int payloadCap, Permitted permitted, WriteRates rates) {
        this.rates = rates;
        this.postrider = postrider;
        this.database = database;
        this.payloadCap = payloadCap;
        this.permitted = permitted;
        this.known = new Known(database);
    }

    /**
     * What the settings say.
     *
     * @param userTopics topics to which a token that reaches a user may emit
     * @param userQueues queues on which it may enqueue
     * @param projectTopics those of a token that reaches a project; null: every one that there is
     * @param projectQueues likewise
     * @param topics those that the settings name for something else: they are there before anything is in them
     */
    public record Permitted(
            Set<String> userTopics,
            Set<String> userQueues,
            @Nullable Set<String> projectTopics,
            @Nullable Set<String> projectQueues,
            Set<String> topics) {}

    Postrider postrider() {
        return postrider;
    }

    Database database() {
        return database;
    }

    WriteRates rates() {
        return rates;
    }

    /** How many bytes one payload may have. */
    int payloadCap() {
        return payloadCap;
    }

    void refuseTopic(Identity who, String topic) {
        if (topic.startsWith("queue:")) {
            throw Problem.badRequest("topic " + Fields.shown(topic) + " is a lane of a queue; POST to /v1/queues/"
                    + Fields.shown(topic.substring("queue:".length())) + "/jobs instead");
        }
        boolean may = switch (who.reach()) {
            case ALL -> true; // and may make one
            case PROJECT ->
                permitted.userTopics().contains(topic)
                        || named(permitted.projectTopics(), topic)
                                .orElseGet(() -> permitted.topics().contains(topic) || known.topic(topic));
            case USER -> permitted.userTopics().contains(topic);
        };
        refuseUnless(may, who, "emit to topic " + Fields.shown(topic), "topics");
    }

    void refuseQueue(Identity who, String queue) {
        boolean may = switch (who.reach()) {
            case ALL -> true; // and may make one
            case PROJECT ->
                permitted.userQueues().contains(queue)
                        || named(permitted.projectQueues(), queue).orElseGet(() -> known.queue(queue));
            case USER -> permitted.userQueues().contains(queue);
        };
        refuseUnless(may, who, "enqueue on " + Fields.shown(queue), "queues");
    }

    /** Empty: the settings say nothing. */
    private static Optional<Boolean> named(@Nullable Set<String> names, String name) {
        return Optional.ofNullable(names).map(all -> all.contains(name));
    }

    private static void refuseUnless(boolean may, Identity who, String what, String kind) {
        if (may) {
            return;
        }
        boolean isUser = who.reach() == Identity.Reach.USER;
        throw Problem.forbidden(
                "a token that reaches a " + (isUser ? "user" : "project") + " may not " + what,
                isUser
                        ? "Use a token that reaches a project, or name it in the server's setting postrider.api.user-"
                                + kind + "."
                        : "Use one of the " + kind + " that there are, or a token that reaches all, or name it in the"
                                + " server's setting postrider.api.project-" + kind + ".");
    }

    /** What was just written to is there. */
    void wroteTopic(String topic) {
        known.addTopic(topic);
    }

    /** What was just enqueued on is there. */
    void wroteQueue(String queue) {
        known.addQueue(queue);
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
     * A key of events, by which listeners park them and sinks keep them in order, in a whole topic: one project must not hold up
     * another. Users of one project share its keys, since order 42 is the same order for all of them.
     */
    static @Nullable String ofProject(Identity who, @Nullable String key) {
        if (key == null || who.isOperator()) {
            return key;
        }
        return who.project() == null ? own(who, key) : who.project() + "/" + key;
    }

    /**
     * A key of jobs, which are compared in a whole queue: what one project or user calls its own must not meet, hold up or tell of
     * what another does.
     */
    static @Nullable String own(Identity who, @Nullable String key) {
        if (key == null || who.isOperator()) {
            return key;
        }
        String project = who.project() == null ? "" : who.project(); // a user may have none
        return who.reach() == Identity.Reach.USER ? project + "//" + who.subject() + "/" + key : project + "/" + key;
    }

    private static void refuseOther(String field, @Nullable String given, @Nullable String own) {
        if (given != null && !given.equals(own)) {
            throw Problem.forbidden(
                    field + " is not the token's",
                    "Leave it out: it is taken from the token, unless that reaches all.");
        }
    }
}
