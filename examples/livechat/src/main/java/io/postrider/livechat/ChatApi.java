package io.postrider.livechat;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The requests of the pages. Independent of HTTP; the caller is always the guest of the token, never a field of the request. */
final class ChatApi {
    private static final int MOST_PROMISES = 500;
    private static final Pattern RECEIPT =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{1,20}-[0-9]{1,20}");

    private static final Pattern ACTIVITY_ID = Pattern.compile("[0-9]{1,18}");

    private final Passes passes;
    private final Submissions submissions;
    private final Conversations conversations;
    private final Activities activities;
    private final Ledger ledger;
    private final TroubleDesk desk;
    private final VerifyLimit verifications = new VerifyLimit();

    ChatApi(
            Passes passes,
            Submissions submissions,
            Conversations conversations,
            Activities activities,
            Ledger ledger,
            TroubleDesk desk) {
        this.passes = passes;
        this.submissions = submissions;
        this.conversations = conversations;
        this.activities = activities;
        this.ledger = ledger;
        this.desk = desk;
    }

    Guest guest(@Nullable String authorization) {
        if (authorization == null || !authorization.startsWith("Bearer ")) {
            throw Refusal.unauthorized();
        }
        return passes.check(authorization.substring(7)).orElseThrow(Refusal::unauthorized);
    }

    // ── tokens for the demo: every caller gets one ──────────────────────────────────────────────────────────────────

    /** @param agent the agent to act as; null: a new visitor */
    record Wish(@Nullable String agent) {}

    /** A token, its owner, and its lifetime. */
    record Session(String token, String user, String name, String project, boolean agent, long seconds) {}

    Session session(Wish wish) {
        String agent = wish.agent();
        if (agent != null && !LiveChat.AGENTS.containsKey(agent)) {
            throw Refusal.notFound("Unknown agent; choose one of "
                    + LiveChat.AGENTS.keySet().stream().sorted().toList() + ".");
        }
        return agent == null
                ? session(new Guest("v-" + UUID.randomUUID(), LiveChat.PROJECT, false))
                : session(new Guest(agent, LiveChat.PROJECT, true));
    }

    /** The same guest with a new token that expires later. */
    Session session(Guest guest) {
        return new Session(
                passes.issue(guest, LiveChat.LIFE),
                guest.user(),
                Names.of(guest),
                guest.project(),
                guest.agent(),
                LiveChat.LIFE.toSeconds());
    }

    // ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Messages in the order they were written. */
    record Saying(@Nullable List<Submissions.Said> messages) {}

    /** All messages are accepted: by the queue, or by the stream before it. */
    record Accepted(List<Ledger.Promise> accepted) {}

    Accepted say(Guest guest, Saying saying) {
        return new Accepted(submissions.accept(guest, saying.messages()));
    }

    // ── snapshots ───────────────────────────────────────────────────────────────────────────────────────────────────

    Conversations.Snapshot conversation(Guest guest) throws SQLException {
        if (guest.agent()) {
            throw Refusal.badRequest("An agent has many conversations: GET /chat/api/conversations.");
        }
        return conversations.ofVisitor(guest);
    }

    Conversations.Snapshot conversation(Guest guest, UUID conversation) throws SQLException {
        return conversations.ofProject(agent(guest), conversation).orElseThrow(ChatApi::noConversation);
    }

    Conversations.Overview conversations(Guest guest) throws SQLException {
        return conversations.overview(agent(guest));
    }

    /** @param before the id of an activity; null: the newest */
    Activities.Feed activity(Guest guest, @Nullable String before) throws SQLException {
        if (before != null && !ACTIVITY_ID.matcher(before).matches()) {
            throw Refusal.badRequest("before must be the id of an activity.");
        }
        return activities.feed(agent(guest), before == null ? null : Long.valueOf(before));
    }

    /** An agent has read up to this message. */
    record Mark(long message) {}

    void read(Guest guest, UUID conversation, Mark mark) throws SQLException {
        if (!conversations.read(agent(guest), conversation, mark.message())) {
            throw noConversation();
        }
    }

    private static Guest agent(Guest guest) {
        if (!guest.agent()) {
            throw Refusal.forbidden("Only agents may call this; visitors use GET /chat/api/conversation.");
        }
        return guest;
    }

    private static Refusal noConversation() {
        return Refusal.notFound("There is no such conversation in this project.");
    }

    // ── the counter, and trouble ────────────────────────────────────────────────────────────────────────────────────

    /** Messages that were acknowledged to a page; events are searched after a position. */
    record Promises(@Nullable List<Ledger.Promise> promises, long after) {}

    /** The state of these messages in the database. */
    record Account(List<Ledger.Entry> entries) {}

    Account verify(Guest guest, Promises asked) throws SQLException {
        List<Ledger.Promise> promises = asked.promises();
        if (promises == null || promises.size() > MOST_PROMISES) {
            throw Refusal.badRequest("promises must be a list of at most " + MOST_PROMISES + ".");
        }
        if (!promises.stream().allMatch(ChatApi::isPromise)) {
            throw Refusal.badRequest(
                    "Each entry of promises must have the id of a message and the receipt from the response to it.");
        }
        try (VerifyLimit.Place place = verifications.enter(guest)) {
            return new Account(ledger.look(guest, promises, asked.after()));
        }
    }

    /** A receipt is the id of a job, or of an entry of a stream. */
    private static boolean isPromise(Ledger.@Nullable Promise promise) {
        return promise != null
                && Submissions.CLIENT_ID.matcher(String.valueOf(promise.id())).matches()
                && RECEIPT.matcher(String.valueOf(promise.receipt())).matches();
    }

    TroubleDesk.State state(Guest guest) throws SQLException {
        agent(guest);
        return desk.state();
    }

    /** The users whose streams are closed. */
    record Victims(@Nullable Set<String> users) {}

    /** What was done: the number of connections or streams, or the pid of the worker. */
    record Done(String done, long count) {}

    Done trouble(Guest guest, String what, Victims victims) throws SQLException {
        agent(guest);
        if (!desk.isAllowed()) {
            throw Refusal.notFound("Failures cannot be caused in this deployment; run ./postrider demo.");
        }
        switch (what) {
            case "kill-worker" -> {
                return new Done(what, desk.killWorker());
            }
            case "cut-database" -> {
                return new Done(what, desk.cutDatabase());
            }
            case "hold-transaction" -> desk.hold(guest);
            case "fail-companion" -> desk.failCompanion();
            case "cut-streams" -> {
                Set<String> users = victims.users();
                return new Done(what, desk.cutStreams(users == null ? Set.of(guest.user()) : users));
            }
            default ->
                throw Refusal.notFound(
                        "Unknown failure; use kill-worker, cut-database, cut-streams, hold-transaction or fail-companion.");
        }
        return new Done(what, 1);
    }
}
