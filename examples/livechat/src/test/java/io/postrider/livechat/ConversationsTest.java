package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.LogEvent;
import io.postrider.jackson.JacksonMapper;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A snapshot and the log from its position on are everything. */
@PostgresTest
class ConversationsTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Guest VISITOR = new Guest("v-1", LiveChat.PROJECT, false);
    private static final Guest ANNA = new Guest("anna", LiveChat.PROJECT, true);
    private final JacksonMapper mapper = new JacksonMapper();

    @Test
    void whenever_a_snapshot_is_taken_it_and_what_comes_after_its_position_have_no_hole(TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            Conversations conversations = new Conversations(node.postrider, node.pool, mapper);
            List<Conversations.Snapshot> taken = new ArrayList<>();
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                String client = "client-" + (100 + i);
                sent.add(client);
                node.queue(Node.pilotSays("v-1", client));
                taken.add(conversations.ofVisitor(VISITOR));
            }
            Await.until("all are told", LONG, () -> node.postrider.log().head("chat") >= 101);
            for (Conversations.Snapshot snapshot : taken) {
                Set<String> known = new HashSet<>();
                snapshot.messages().forEach(message -> known.add(message.client()));
                for (LogEvent event : node.postrider.log().read("chat", snapshot.position(), 500)) {
                    known.add(mapper.read(event.payload(), Message.class).client());
                }
                assertThat(known).containsAll(sent);
            }
            assertThat(taken).anyMatch(snapshot -> !snapshot.messages().isEmpty());
        }
    }

    @Test
    void an_agent_sees_what_is_unread_and_who_called_until_it_is_read(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            Conversations conversations = new Conversations(node.postrider, node.pool, mapper);
            node.queue(Node.visitorSays("v-1", "is @anna there?"));
            Await.until("it is answered", LONG, () -> node.count("livechat.message") == 2);
            Conversations.Line line =
                    conversations.overview(ANNA).conversations().get(0);
            assertThat(line.unread()).isEqualTo(1);
            assertThat(line.mentioned()).isTrue();
            assertThatThrownBy(() -> conversations.read(ANNA, line.conversation(), Long.MAX_VALUE))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("beyond the last message");
            Conversations.Snapshot open =
                    conversations.ofProject(ANNA, line.conversation()).orElseThrow();
            long last = open.messages().get(0).id();
            assertThat(conversations.read(ANNA, line.conversation(), last)).isTrue();
            assertThat(conversations.read(ANNA, line.conversation(), last - 1)).isTrue();
            Conversations.Line after =
                    conversations.overview(ANNA).conversations().get(0);
            assertThat(after.unread()).isZero();
            assertThat(after.mentioned()).isFalse();
            assertThat(conversations.ofVisitor(VISITOR).read()).containsEntry("anna", last);
            assertThat(node.count("postrider.event where type = 'conversation:read'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void an_agent_of_another_project_sees_nothing_of_it(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            Conversations conversations = new Conversations(node.postrider, node.pool, mapper);
            node.queue(Node.visitorSays("v-1", "hello"));
            Await.until("it is saved", LONG, () -> node.count("livechat.message") >= 1);
            Guest stranger = new Guest("anna", "other", true);
            Conversations.Line line =
                    conversations.overview(ANNA).conversations().get(0);
            assertThat(conversations.overview(stranger).conversations()).isEmpty();
            assertThat(conversations.ofProject(stranger, line.conversation())).isEmpty();
            assertThat(conversations.read(stranger, line.conversation(), 1)).isFalse();
            assertThat(conversations.ofVisitor(new Guest("v-1", "other", false)).conversation())
                    .isNull();
        }
    }
}
