package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Jobs;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One message, one call, one answer. */
@PostgresTest
class CompanionTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void two_nodes_answer_each_message_once_and_nobody_elses(TestDatabase database) throws Exception {
        try (Node one = Node.working(database);
                Node two = Node.working(database)) {
            for (int i = 0; i < 60; i++) {
                (i % 2 == 0 ? one : two).queue(Node.visitorSays("v-" + i % 5, "message " + i));
            }
            Await.until("all are answered", LONG, () -> one.count("livechat.message where answers is not null") == 60);
            assertThat(one.count("(select distinct answers from livechat.message where answers is not null) a"))
                    .isEqualTo(60);
            assertThat(one.count("livechat.message")).isEqualTo(120);
            assertThat(one.texts("select counted from livechat.companion")).containsOnly("12");
            Await.until(
                    "the listener is at the end",
                    LONG,
                    () -> one.postrider.listeners().list().stream().allMatch(listener -> listener.position() == 120));
            assertThat(one.postrider.jobs().list("companion", null, 200)).hasSize(60);
        }
    }

    @Test
    void what_the_auto_pilot_writes_is_counted_once_each_and_answered_at_every_hundred(TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            List<NewMessage> batch = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                batch.add(Node.pilotSays("v-1", "client-" + (100 + i)));
            }
            node.ingestion.accept(batch);
            Await.until("it has counted", LONG, () -> node.count("livechat.companion where counted = 100") == 1);
            assertThat(node.texts("select body from livechat.message where answers is not null"))
                    .containsExactly("That makes 100 messages. I count each one once.");
        }
    }

    @Test
    @Tag("slow")
    void told_to_fail_it_is_tried_again_as_the_policy_says_and_answers_at_the_last_attempt(TestDatabase database)
            throws Exception {
        try (Node node = Node.working(database)) {
            new Companion(node.pool, node.chat.intake()).failNext(TroubleDesk.FAILURES);
            node.queue(Node.visitorSays("v-1", "hello"));
            HashSet<String> seen = new HashSet<>();
            Await.until("it answers after all", LONG, () -> {
                for (Jobs.Status job : node.postrider.jobs().list("companion", Jobs.State.PENDING, 10)) {
                    if (job.error() != null) {
                        seen.add(job.attempts() + " " + job.error());
                    }
                }
                return node.count("livechat.message where answers is not null") == 1;
            });
            assertThat(node.texts("select attempt from livechat.message where answers is not null"))
                    .containsExactly("4");
            assertThat(seen).hasSize(3).allMatch(error -> error.contains("asked to fail"));
            assertThat(node.texts("select counted from livechat.companion")).containsExactly("1");
        }
    }

    @Test
    @Tag("slow")
    void among_many_jobs_all_failures_are_of_one(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            new Companion(node.pool, node.chat.intake()).failNext(TroubleDesk.FAILURES);
            List<NewMessage> batch = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                batch.add(Node.pilotSays("v-1", "client-" + (100 + i)));
            }
            node.ingestion.accept(batch);
            Await.until("it has counted", LONG, () -> node.count("livechat.companion where counted = 20") == 1);
            List<Integer> attempts = Await.value("all are settled", LONG, () -> {
                List<Jobs.Status> done = node.postrider.jobs().list("companion", Jobs.State.DONE, 30);
                return Optional.of(done.stream().map(Jobs.Status::attempts).toList())
                        .filter(all -> all.size() == 20);
            });
            assertThat(attempts).containsOnly(1, 4).containsOnlyOnce(4);
        }
    }

    @Test
    @Tag("slow")
    void failing_for_good_it_becomes_a_dead_letter_that_can_be_done_again(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            new Companion(node.pool, node.chat.intake()).failNext(Companion.RETRY.attempts());
            node.queue(Node.visitorSays("v-1", "hello"));
            Jobs.Status dead = Await.value(
                    "it is dead",
                    LONG,
                    () -> node.postrider.jobs().list("companion", Jobs.State.FAILED, 1).stream()
                            .findFirst());
            assertThat(node.postrider.jobs().retry(dead.id())).isTrue();
            Await.until("it answers", LONG, () -> node.count("livechat.message where answers is not null") == 1);
        }
    }
}
