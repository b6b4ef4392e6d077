package io.postrider.server.api;

import io.postrider.Postrider;
import io.postrider.gateway.Identity;
import java.sql.Connection;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks what a token may write, and for which project and user. Both come from the token, not from the body: a body that
 * names others is refused. A token with reach user is in a browser, where anyone can read it, so it may write only to the
 * topics and queues in the settings. A token with reach project writes to existing topics and queues, and creates none.
 */
public final class Writing {
    private final Postrider postrider;
    private final Changing changing;
    private final Permitted permitted;
    private final int payloadCap;
    private final KnownNames topics;
    private final KnownNames queues;
    private final WriteRates rates;

    /** Writes to this database by these rules. */
    public Writing(Postrider postrider, Changing changing, int payloadCap, Permitted permitted, WriteRates rates) {
        this.rates = rates;
        this.postrider = postrider;
        this.changing = changing;
        this.payloadCap = payloadCap;
        this.permitted = permitted;
        this.topics = new KnownNames(changing.postrider().log()::hasTopic, System::nanoTime);
        this.queues = new KnownNames(changing.postrider().queues()::exists, System::nanoTime);
    }

    /**
     * The permissions in the settings.
     *
     * @param userTopics topics to which a token with reach user may emit
     * @param userQueues queues to which it may enqueue
     * @param projectTopics topics to which a token with reach project may emit; null: every existing topic
     * @param projectQueues queues to which it may enqueue; null: every existing queue
     * @param topics topics that other settings name: they count as existing while they are empty
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

    Changing changing() {
        return changing;
    }

    /** Runs one transaction, when it is this caller's turn. */
    <T> T transaction(Identity who, @Nullable String key, Function<Connection, T> work) throws Exception {
        return changing.writers().write(who, key, () -> changing.postrider().transaction(work));
    }

    WriteRates rates() {
        return rates;
    }

    /** The maximum size of a payload in bytes. */
    int payloadCap() {
        return payloadCap;
    }

    /** As {@link #refuseTopic}, but only where the settings decide: a lookup in the database has to wait for its turn. */
    void refuseTopicAtOnce(Identity who, String topic) {
        refuseLane(topic);
        if (!who.isOperator() && (isUser(who) || permitted.projectTopics() != null)) {
            project(who, null);
            refuseUnless(
                    mayByName(who, permitted.userTopics(), permitted.projectTopics(), topic),
                    who,
                    emitTo(topic),
                    "topics");
        }
    }

    /** As {@link #refuseQueue}, but only where the settings decide. */
    void refuseQueueAtOnce(Identity who, String queue) {
        if (!who.isOperator() && (isUser(who) || permitted.projectQueues() != null)) {
            project(who, null);
            refuseUnless(
                    mayByName(who, permitted.userQueues(), permitted.projectQueues(), queue),
                    who,
                    enqueueOn(queue),
                    "queues");
        }
    }

    private static boolean mayByName(Identity who, Set<String> ofUsers, @Nullable Set<String> ofProjects, String name) {
        return ofUsers.contains(name) || (!isUser(who) && ofProjects != null && ofProjects.contains(name));
    }

    private static boolean isUser(Identity who) {
        return who.reach() == Identity.Reach.USER;
    }

    private static String emitTo(String topic) {
        return "emit to topic " + Fields.shown(topic);
    }

    private static String enqueueOn(String queue) {
        return "enqueue on " + Fields.shown(queue);
    }

    private static void refuseLane(String topic) {
        if (topic.startsWith("queue:")) {
            throw Problem.badRequest("topic " + Fields.shown(topic) + " is a lane of a queue; POST to /v1/queues/"
                    + Fields.shown(topic.substring("queue:".length())) + "/jobs instead");
        }
    }

    void refuseTopic(Identity who, String topic) throws Exception {
        refuseLane(topic);
        boolean may = permitted.userTopics().contains(topic);
        if (who.isOperator()) {
            may = true; // may also create one
        } else if (who.reach() == Identity.Reach.PROJECT && !may) {
            @Nullable Set<String> named = permitted.projectTopics();
            may = named == null
                    ? permitted.topics().contains(topic) || exists(who, topics, topic)
                    : named.contains(topic);
        }
        refuseUnless(may, who, emitTo(topic), "topics");
    }

    void refuseQueue(Identity who, String queue) throws Exception {
        boolean may = permitted.userQueues().contains(queue);
        if (who.isOperator()) {
            may = true; // may also create one
        } else if (who.reach() == Identity.Reach.PROJECT && !may) {
            @Nullable Set<String> named = permitted.projectQueues();
            may = named == null ? exists(who, queues, queue) : named.contains(queue);
        }
        refuseUnless(may, who, enqueueOn(queue), "queues");
    }

    /** A lookup takes a connection, so it waits for the caller's turn as a write does: callers can invent names. */
    private boolean exists(Identity who, KnownNames names, String name) throws Exception {
        if (names.isFound(name)) {
            return true;
        }
        return !names.isMissing(name) && changing.writers().write(who, null, () -> names.lookUp(name));
    }

    private static void refuseUnless(boolean may, Identity who, String what, String kind) {
        if (may) {
            return;
        }
        boolean isUser = isUser(who);
        throw Problem.forbidden(
                "a token with reach " + (isUser ? "user" : "project") + " may not " + what,
                isUser
                        ? "Use a token with reach project. The operator can also allow it in postrider.api.user-" + kind
                                + "."
                        : "Use one of the existing " + kind
                                + ", or a token with reach all. The operator can also allow it in postrider.api.project-"
                                + kind + ".");
    }

    /** A topic exists once it has been written to. */
    void wroteTopic(String topic) {
        topics.add(topic);
    }

    /** A queue exists once a job has been enqueued. */
    void wroteQueue(String queue) {
        queues.add(queue);
    }

    /**
     * The project of the event or job. A token for a user must have one: without a project, users of this name in every project
     * could read what it writes.
     */
    static @Nullable String project(Identity who, @Nullable String given) {
        if (who.isOperator()) {
            return given;
        }
        if (who.project() == null) {
            throw Problem.forbidden(
                    "a token with reach user and without a project may not write",
                    "Use a token with the claim project; if there are no projects, choose one name for all tokens.");
        }
        refuseOther("project_id", given, who.project());
        return who.project();
    }

    /** The user of the event or job. */
    static @Nullable String user(Identity who, @Nullable String given) {
        if (who.reach() != Identity.Reach.USER) {
            return given;
        }
        refuseOther("user_id", given, who.subject());
        return who.subject();
    }

    /**
     * A key of events. Listeners park events and sinks order them by key within a whole topic, so one project must not block
     * another. Users of one project share its keys, because order 42 is the same order for all of them.
     */
    static @Nullable String ofProject(Identity who, @Nullable String key) {
        if (key == null || who.isOperator()) {
            return key;
        }
        return who.project() + "/" + key;
    }

    /**
     * A key of jobs, which is compared within a whole queue: keys of one project or user must not collide with, block or reveal
     * those of another.
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
                    field + " differs from the token's",
                    "Leave it out: it is taken from the token. Only a token with reach all may choose it.");
        }
    }
}
