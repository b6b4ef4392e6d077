package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.postrider.LogEvent;
import io.postrider.StartPoint;
import io.postrider.admin.Listeners;
import io.postrider.gateway.TokenMint;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From a message to a record and an event for each agent that it mentions: a listener and its own transaction. */
@PostgresTest
@Tag("slow")
class ActivitiesTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Guest ANNA = new Guest("anna", LiveChat.PROJECT, true);

    @Test
    void each_mentioned_agent_gets_a_record_and_an_event_after_the_messages(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            node.queue(Node.visitorSays("v-1", "is @Anna there, or @ben? not you, me@mira.example; @nobody, @anna"));
            Await.until("two records", LONG, () -> node.count("livechat.activity") == 2);
            List<LogEvent> events = Await.value(
                    "three events",
                    LONG,
                    () -> Optional.of(node.postrider.log().read("chat", 0, 10).stream()
                                    .filter(event -> !event.payload().contains("COMPANION"))
                                    .toList())
                            .filter(found -> found.size() == 3));
            assertThat(events)
                    .extracting(LogEvent::type, LogEvent::userId)
                    .containsExactly(
                            tuple("message:created", "v-1"),
                            tuple("activity:created", "anna"),
                            tuple("activity:created", "ben"));
            assertThat(events.get(1).payload()).contains(Names.of("v-1"), "is @Anna there");
            assertThat(events.get(1).aggregateId()).isEqualTo(events.get(0).aggregateId());
        }
    }

    /** The event is the last step: if it fails, the record and the cursor must be taken back. */
    @Test
    void record_event_and_cursor_are_one_transaction(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            node.run("create function public.broken() returns trigger language plpgsql as"
                    + " $$ begin raise exception 'broken on purpose'; end $$");
            node.run("create trigger broken before insert on postrider.event for each row"
                    + " when (new.type = 'activity:created') execute function public.broken()");
            node.queue(Node.visitorSays("v-1", "@anna?"));
            Await.until(
                    "it has failed",
                    LONG,
                    () -> String.valueOf(row(node).lastError()).contains("broken on purpose"));
            assertThat(node.count("livechat.activity")).isZero();
            assertThat(row(node).position()).isZero();
            node.run("drop trigger broken on postrider.event");
            Await.until("the record", LONG, () -> node.count("livechat.activity") == 1);
            assertThat(node.count("postrider.event where type = 'activity:created'"))
                    .isEqualTo(1);
        }
    }

    private static Listeners.Status row(Node node) {
        return node.postrider.listeners().list().stream()
                .filter(listener -> listener.name().equals("activity"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void done_again_from_the_beginning_nothing_is_recorded_or_told_twice(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            for (int i = 0; i < 10; i++) {
                node.queue(Node.visitorSays("v-" + i % 3, "@anna " + i));
            }
            Await.until("ten records", LONG, () -> node.count("livechat.activity") == 10);
            node.postrider.reset("activity", StartPoint.beginning());
            node.queue(Node.visitorSays("v-1", "@anna the eleventh"));
            Await.until("eleven records", LONG, () -> node.count("livechat.activity") == 11);
            assertThat(node.count("postrider.event where type = 'activity:created'"))
                    .isEqualTo(11);
        }
    }

    @Test
    void the_feed_has_the_newest_first_page_by_page_and_what_is_read_is_not_open(TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            for (int i = 0; i < Activities.PAGE + 3; i++) {
                node.queue(Node.visitorSays("v-1", String.format("@anna %03d", i)));
            }
            node.queue(Node.visitorSays("v-2", "@ben, not her"));
            Await.until("all records", LONG, () -> node.count("livechat.activity") == Activities.PAGE + 4);
            ChatApi api = node.chat.api(nobody(), null);
            Activities.Feed feed = api.activity(ANNA, null);
            assertThat(feed.latest()).hasSize(Activities.PAGE).allMatch(activity -> !activity.seen());
            assertThat(feed.open()).hasSize(Activities.PAGE + 3);
            assertThat(feed.position()).isPositive();
            List<Activities.Activity> older = api.activity(
                            ANNA, "" + feed.latest().get(Activities.PAGE - 1).id())
                    .latest();
            assertThat(older).hasSize(3);
            assertThat(feed.latest().get(0).id()).isGreaterThan(older.get(2).id());
            UUID conversation = feed.latest().get(0).conversation();
            long middle = feed.latest().get(10).message();
            api.read(ANNA, conversation, new ChatApi.Mark(middle));
            Activities.Feed after = api.activity(ANNA, null);
            assertThat(after.open()).allMatch(open -> open.message() > middle).isNotEmpty();
            assertThat(after.latest()).filteredOn(Activities.Activity::seen).allMatch(a -> a.message() <= middle);
            assertThat(api.activity(new Guest("anna", "other", true), null).latest())
                    .as("another project's agent of that name")
                    .isEmpty();
        }
    }

    private static Passes nobody() {
        return new MintedPasses(TokenMint.random("livechat-test", "livechat"));
    }
}
