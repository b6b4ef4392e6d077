package io.postrider;

import static io.postrider.JobDesk.awaitState;
import static io.postrider.JobDesk.enqueue;
import static io.postrider.JobDesk.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The codes that handlers give their failures, and where an operator finds them. */
@Migrated
class ErrorCodeTest {
    @Test
    void a_job_fails_with_the_code_that_its_handler_gives(TestDatabase database) {
        Map<String, String> codes = new LinkedHashMap<>();
        codes.put("retry", "rate_limited");
        codes.put("retry-in", "busy:429");
        codes.put("dead", "no-such-address");
        codes.put("thrown", "card_declined");
        codes.put("wrapped", "card_declined");
        codes.put("in-transaction", "card_declined");
        codes.put("plain", "retry");
        codes.put("plain-dead", "dead");
        codes.put("uncoded", "IllegalStateException");
        try (Node node = new Node(database)) {
            Worker worker = Worker.on("q")
                    .handling("retry", job -> Fate.retry("rate_limited", "try\nlater"))
                    .handling("retry-in", job -> Fate.retry(Duration.ZERO, "busy:429", "later"))
                    .handling("dead", job -> Fate.dead("no-such-address", "nobody lives there"))
                    .handling("thrown", job -> {
                        throw new CodedException("card_declined", "no money");
                    })
                    .handling("wrapped", job -> {
                        throw new IllegalStateException(
                                "outer", new RuntimeException(new CodedException("card_declined", "no money")));
                    })
                    .handlingInTransaction("in-transaction", (connection, job) -> {
                        throw new CodedException("card_declined", "no money", new IllegalStateException());
                    })
                    .handling("plain", job -> Fate.retry())
                    .handling("plain-dead", job -> Fate.dead("why"))
                    .handling("uncoded", job -> {
                        throw new IllegalStateException("no");
                    });
            for (String type : codes.keySet()) {
                worker = worker.withRetry(type, RetryPolicy.never());
            }
            node.postrider.add(worker).start();
            codes.forEach((type, code) -> {
                UUID id = enqueue(node, Job.of("q", type, "{\"kept\": 1}").withProject("p"));
                awaitState(node, id, State.FAILED);
                assertThat(status(node, id).errorCode()).as(type).isEqualTo(code);
                assertThat(node.postrider
                                .jobs()
                                .find(Reach.project("p"), id)
                                .orElseThrow()
                                .errorCode())
                        .isEqualTo(code);
                assertThat(letter(node, id).errorCode()).as(type).isEqualTo(code);
                assertThat(letter(node, id).event().payload()).isEqualTo("{\"kept\": 1}");
            });
            UUID again = enqueue(node, Job.of("q", "retry", "{}"));
            awaitState(node, again, State.FAILED);
            assertThat(status(node, again).error()).isEqualTo("try later");
        }
    }

    @Test
    void a_job_that_waits_for_its_retry_shows_the_code(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.postrider
                    .add(Worker.on("q")
                            .handling("t", job -> Fate.retry("rate_limited", "later"))
                            .withRetry("t", RetryPolicy.table(Duration.ofHours(1))))
                    .start();
            UUID id = enqueue(node, Job.of("q", "t", "{}"));
            Await.until(
                    "it waits for a retry",
                    () -> "retry".equals(status(node, id).waitsFor()));
            assertThat(status(node, id).errorCode()).isEqualTo("rate_limited");
            assertThat(status(node, id).error()).isEqualTo("later");
        }
    }

    @Test
    void a_listener_shows_the_code_while_it_retries_and_in_the_dead_letter(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            Listener coded = Listener.relay("coded", "orders", event -> {
                        throw new CodedException("out_of_stock", "none left");
                    })
                    .withAttempts(2);
            node.with(
                    coded.withBackoff(Duration.ofHours(1), Duration.ofHours(1)),
                    Listener.transactional("dies", "orders", (connection, event) -> {
                                throw new IllegalStateException(new CodedException("out_of_stock", "none left"));
                            })
                            .withAttempts(2)
                            .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)),
                    Listener.relay("skips", "orders", event -> {
                                throw new CodedException("skipped", "no");
                            })
                            .withAttempts(2)
                            .withPolicy(FailurePolicy.SKIP)
                            .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)),
                    Listener.relay("uncoded", "orders", event -> {
                                throw new IllegalStateException("no") {};
                            })
                            .withAttempts(1));
            node.emit(Event.of("orders", "placed", "{}").withProject("p"));
            for (String listener : new String[] {"dies", "skips", "uncoded"}) {
                Await.until("it is dead", () -> node.deadLetters(listener).size() == 1);
            }
            assertThat(node.deadLetters("dies").get(0).errorCode()).isEqualTo("out_of_stock");
            assertThat(node.deadLetters("skips").get(0).errorCode()).isEqualTo("skipped");
            assertThat(node.deadLetters("uncoded").get(0).errorCode()).startsWith("ErrorCodeTest$");
            assertThat(node.postrider
                            .deadLetters()
                            .find(Reach.project("p"), DeadLetters.Filter.all(), 0, 10)
                            .letters())
                    .extracting(DeadLetter::errorCode)
                    .contains("out_of_stock", "skipped");
            Await.until(
                    "it is set back",
                    () -> "out_of_stock"
                            .equals(
                                    psql.text(
                                            "select coalesce(last_error_code, '') from postrider.listeners where name = 'coded'")));
            assertThat(psql.text("select last_error_code from postrider.dead_letters where listener = 'dies'"))
                    .isEqualTo("out_of_stock");
        }
    }

    private static DeadLetter letter(Node node, UUID id) {
        return node.deadLetters("queue:q").stream()
                .filter(one -> one.event().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two words", "ümlaut", "a\nb", "-dash", "quote\"", "unreadable", "unwritable"})
    void a_code_that_is_not_a_name_is_refused(String code) {
        assertThatThrownBy(() -> Fate.retry(code, "m")).hasMessageStartingWith("error code ");
        assertThatThrownBy(() -> Fate.retry(Duration.ZERO, code, "m")).hasMessageStartingWith("error code ");
        assertThatThrownBy(() -> Fate.dead(code, "m")).hasMessageStartingWith("error code ");
        assertThatThrownBy(() -> new CodedException(code, "m")).hasMessageStartingWith("error code ");
    }

    @Test
    void a_code_is_bounded_in_length() {
        assertThat(new CodedException("x".repeat(100), "m").code()).hasSize(100);
        assertThatThrownBy(() -> new CodedException("x".repeat(101), "m"))
                .hasMessageContaining("at most 100 characters");
    }
}
