package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Job;
import io.postrider.LogEvent;
import io.postrider.admin.Jobs;
import io.postrider.jackson.JacksonMapper;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From "queued" to saved and told: one transaction. */
@PostgresTest
@Tag("slow")
@Tag("security")
class IntakeTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_message_makes_visitor_conversation_message_and_event(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            node.queue(Node.visitorSays("v-1", "client-01", "hello there"));
            Await.until("message and answer", LONG, () -> node.count("livechat.message") == 2);
            LogEvent event = Await.value(
                    "its event",
                    LONG,
                    () -> node.postrider.log().read("chat", 0, 1).stream().findFirst());
            String conversation =
                    node.texts("select id from livechat.conversation").get(0);
            assertThat(event.type()).isEqualTo("message:created");
            assertThat(event.key()).isEqualTo(conversation);
            assertThat(event.projectId()).isEqualTo(LiveChat.PROJECT);
            assertThat(event.userId()).isEqualTo("v-1");
            assertThat(event.aggregateType()).isEqualTo("conversation");
            assertThat(event.aggregateId()).isEqualTo(conversation);
            assertThat(event.payload()).contains("hello there", "client-01", "VISITOR");
            assertThat(node.count("livechat.visitor")).isEqualTo(1);
        }
    }

    /** The event last: a failure there must take back all that the steps before it did. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "livechat.visitor",
                "livechat.conversation",
                "livechat.message",
                "postrider.event where topic = 'chat'"
            })
    void whichever_step_fails_nothing_remains_and_the_next_attempt_does_it_once(String step, TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            breakStep(node, step);
            UUID job = UUID.fromString(node.queue(Node.visitorSays("v-1", "hello")));
            Await.until(
                    "the attempt has failed",
                    LONG,
                    () -> node.postrider
                            .jobs()
                            .find(job)
                            .filter(found -> String.valueOf(found.error()).contains("broken on purpose"))
                            .isPresent());
            assertThat(node.all().values()).containsOnly(0L);
            node.run("drop trigger broken on " + step.split(" ", -1)[0]);
            Await.until(
                    "it is done",
                    LONG,
                    () -> node.postrider
                            .jobs()
                            .find(job)
                            .filter(found -> found.state() == Jobs.State.DONE)
                            .isPresent());
            assertThat(node.count("livechat.visitor")).isEqualTo(1);
            assertThat(node.count("livechat.conversation")).isEqualTo(1);
            assertThat(node.count("livechat.message where author_kind = 'visitor'"))
                    .isEqualTo(1);
            assertThat(node.count("postrider.event where topic = 'chat' and payload ->> 'text' = 'hello'"))
                    .isEqualTo(1);
        }
    }

    private static void breakStep(Node node, String step) throws Exception {
        node.run("create function public.broken() returns trigger language plpgsql as"
                + " $$ begin raise exception 'broken on purpose'; end $$");
        String when = step.contains("topic") ? " when (new.topic = 'chat')" : "";
        node.run("create trigger broken before insert on " + step.split(" ", -1)[0] + " for each row" + when
                + " execute function public.broken()");
    }

    @Test
    void the_same_client_id_is_the_same_message_however_often_and_late_it_is_sent(TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            NewMessage message = Node.visitorSays("v-1", "client-01", "once");
            node.queue(message);
            Await.until("saved", LONG, () -> node.count("livechat.message") >= 1);
            UUID again = UUID.fromString(node.queue(message));
            Await.until(
                    "the repeat is done",
                    LONG,
                    () -> node.postrider
                            .jobs()
                            .find(again)
                            .filter(job -> job.state() == Jobs.State.DONE)
                            .isPresent());
            assertThat(node.count("livechat.message where client_id = 'client-01'"))
                    .isEqualTo(1);
            assertThat(node.count("postrider.event where topic = 'chat' and payload ->> 'client' = 'client-01'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void while_the_first_waits_the_same_client_id_is_the_same_job(TestDatabase database) {
        try (Node node = Node.taking(database)) {
            NewMessage message = Node.visitorSays("v-1", "client-01", "once");
            assertThat(node.queue(message)).isEqualTo(node.queue(message));
            assertThat(node.queue(Node.visitorSays("v-2", "client-01", "another visitor's")))
                    .isNotEqualTo(node.queue(message));
        }
    }

    /** Without the queue's limit in between: eight transactions save at the same moment. */
    @Test
    void eight_at_once_find_or_create_one_visitor_one_conversation_and_each_message_once(TestDatabase database)
            throws Exception {
        try (Node node = Node.taking(database)) {
            ExecutorService threads = Executors.newFixedThreadPool(8);
            try {
                CyclicBarrier together = new CyclicBarrier(8);
                List<Future<Boolean>> saved = IntStream.range(0, 8)
                        .mapToObj(i -> threads.submit(() -> saveAt(together, node, "client-0" + i / 2)))
                        .toList();
                int firsts = 0;
                for (Future<Boolean> one : saved) {
                    firsts += one.get() ? 1 : 0;
                }
                assertThat(firsts).isEqualTo(4);
            } finally {
                threads.shutdownNow();
            }
            assertThat(node.all().values()).containsExactlyInAnyOrder(1L, 1L, 4L, 4L);
        }
    }

    private static boolean saveAt(CyclicBarrier together, Node node, String client) throws Exception {
        try (Connection connection = node.pool.getConnection()) {
            connection.setAutoCommit(false);
            together.await();
            boolean first = node.chat
                    .intake()
                    .save(connection, Node.visitorSays("v-1", client, "text"), Instant.now())
                    .isPresent();
            connection.commit();
            return first;
        }
    }

    @Test
    void a_conversation_is_in_the_order_it_was_sent_though_two_workers_save_sixteen_messages_at_once(
            TestDatabase database) throws Exception {
        try (Node one = Node.working(database);
                Node two = Node.working(database)) {
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                List<NewMessage> batch = new ArrayList<>();
                for (int j = 0; j < 10; j++) {
                    String client = String.format("client-%03d", i * 10 + j);
                    sent.add(client);
                    batch.add(Node.pilotSays("v-1", client));
                }
                (i % 2 == 0 ? one : two).ingestion.accept(batch);
            }
            Await.until("all are saved", LONG, () -> one.count("livechat.message where pilot") == 150);
            assertThat(one.texts("select client_id from livechat.message where pilot order by accepted_at"))
                    .isEqualTo(sent);
        }
    }

    /** As Redis' does it: the message waits in a stream, and is moved from there into the queue. */
    @Test
    void a_message_that_comes_by_a_stream_is_held_until_it_is_saved_and_saved_once(TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            Queue<String> stream = new ConcurrentLinkedQueue<>();
            LiveChat chat = LiveChat.on(node.postrider, node.pool)
                    .withStream("a set", (id, json) -> stream.add(json) ? "1-" + stream.size() : "", stream::size);
            NewMessage message = Node.visitorSays("v-1", "client-01", "by another way");
            String receipt = chat.ingestion().accept(List.of(message, message)).get(1);
            assertThat(chat.ingestion().holds(receipt)).isTrue();
            while (!stream.isEmpty()) {
                try (Connection connection = node.pool.getConnection()) {
                    connection.setAutoCommit(false);
                    node.postrider.enqueue(connection, chat.job(stream.element(), Instant.now()));
                    connection.commit();
                    stream.remove();
                }
            }
            Await.until(
                    "nothing holds it any more", LONG, () -> !chat.ingestion().holds(receipt));
            assertThat(node.count("livechat.message where body = 'by another way'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void a_stream_that_does_not_answer_takes_nothing_and_says_so(TestDatabase database) {
        try (Node node = Node.taking(database)) {
            LiveChat chat = LiveChat.on(node.postrider, node.pool)
                    .withStream(
                            "Redis",
                            (id, json) -> {
                                throw new IllegalStateException("connection refused");
                            },
                            () -> {
                                throw new IllegalStateException("connection refused");
                            });
            NewMessage message = Node.visitorSays("v-1", "client-01", "is anybody there?");
            assertNotNow(() -> chat.ingestion().accept(List.of(message)));
            assertNotNow(() -> chat.ingestion().holds("1-1"));
            assertThat(chat.ingestion().ahead()).isEqualTo(new Ingestion.Ahead("Redis", null));
        }
    }

    private static void assertNotNow(ThrowingCallable asked) {
        assertThatThrownBy(asked).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal).hasMessageContaining("Redis does not answer");
        });
    }

    @Test
    void an_answer_into_another_projects_conversation_is_dead_and_says_why(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            node.run("insert into livechat.project values ('other', 'Other')");
            node.run("insert into livechat.visitor values ('v-9', 'other', 'Nine')");
            node.run("insert into livechat.conversation (project_id, visitor_id) values ('other', 'v-9')");
            UUID foreign = UUID.fromString(
                    node.texts("select id from livechat.conversation").get(0));
            Author anna = new Author(Author.Kind.AGENT, "anna", "Anna");
            UUID job = UUID.fromString(
                    node.queue(new NewMessage(LiveChat.PROJECT, anna, foreign, "client-01", "psst", false, null)));
            Jobs.Status dead = Await.value(
                    "it is dead",
                    LONG,
                    () -> node.postrider.jobs().find(job).filter(found -> found.state() == Jobs.State.FAILED));
            assertThat(dead.error()).contains("does not belong to this project");
            assertThat(node.count("livechat.message")).isZero();
        }
    }

    /** Whoever may enqueue on the queue chooses the payload; project and user of the job come from the token. */
    @Test
    void project_and_author_come_from_the_job_and_not_from_its_payload(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            JacksonMapper mapper = new JacksonMapper();
            Author anna = new Author(Author.Kind.AGENT, "anna", "Anna");
            Author pip = new Author(Author.Kind.COMPANION, "companion", "Pip");
            Author vera = new Author(Author.Kind.VISITOR, "v-vera", "The boss");
            String longText = "x".repeat(Submissions.LONGEST_TEXT + 1);
            UUID some = UUID.randomUUID();
            List<UUID> refused = List.of(
                    enqueue(node, mapper, new NewMessage(LiveChat.PROJECT, anna, some, "client-01", "a", false, null)),
                    enqueue(node, mapper, new NewMessage(LiveChat.PROJECT, pip, some, "client-02", "a", false, null)),
                    enqueue(
                            node,
                            mapper,
                            new NewMessage(LiveChat.PROJECT, vera, null, "client-03", longText, false, null)),
                    enqueue(node, mapper, new NewMessage(LiveChat.PROJECT, vera, null, "x", "a", false, null)));
            enqueue(node, mapper, new NewMessage("other", vera, null, "client-05", "accepted", false, null));
            Await.until("it is saved", LONG, () -> node.count("livechat.message where body = 'accepted'") == 1);
            assertThat(node.texts("select m.author_id || ' ' || m.author_name || ' ' || c.project_id"
                            + " from livechat.message m join livechat.conversation c on c.id = m.conversation_id"
                            + " where m.body = 'accepted'"))
                    .containsExactly("v-mallory " + Names.of("v-mallory") + " " + LiveChat.PROJECT);
            for (UUID job : refused) {
                Await.until(
                        "it is dead",
                        LONG,
                        () -> node.postrider
                                .jobs()
                                .find(job)
                                .filter(found -> found.state() == Jobs.State.FAILED)
                                .isPresent());
            }
            assertThat(node.count("livechat.message where author_kind <> 'companion'"))
                    .isEqualTo(1);
        }
    }

    private static UUID enqueue(Node node, JacksonMapper mapper, NewMessage payload) throws Exception {
        try (Connection connection = node.pool.getConnection()) {
            connection.setAutoCommit(false);
            UUID id = node.postrider.enqueue(
                    connection,
                    Job.of(LiveChat.INGEST, "ingest", mapper.write(payload))
                            .withProject(LiveChat.PROJECT)
                            .withUser("v-mallory"));
            connection.commit();
            return id;
        }
    }
}
