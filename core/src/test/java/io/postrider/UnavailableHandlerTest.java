package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.State;
import io.postrider.admin.Watch;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A handler without a sink that throws {@link UnavailableException}: an outage costs no attempt. */
@Migrated(shared = true)
class UnavailableHandlerTest {
    private static final Duration SOON = Duration.ofMillis(5);

    private static final List<String> watched = new CopyOnWriteArrayList<>();

    private static Node node;

    private final List<Long> arrived = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile boolean isDown;
    private volatile Duration retryAfter = Duration.ZERO;

    @BeforeAll
    static void start(TestDatabase database) {
        Watch watch = new Watch() {
            @Override
            public void unavailable(String relay, int tries, Duration wait, Throwable error) {
                watched.add(relay + ": " + error.getMessage());
            }
        };
        node = new Node(
                        database,
                        options -> options.withPoll(Duration.ofMillis(50)).withWatch(watch))
                .with();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void down() {
        isDown = true;
    }

    private void send(LogEvent event) {
        refuseIfDown();
        arrived.add(event.position());
    }

    private void refuseIfDown() {
        if (isDown) {
            refusals.incrementAndGet();
            throw new UnavailableException(retryAfter, "mail server is down", new IOException("refused"));
        }
    }

    /** With one attempt, a single counted failure would make a dead letter. */
    private static Listener oneAttempt(Listener relay) {
        return relay.withAttempts(1).withBackoff(SOON, SOON);
    }

    private static void emit(String topic, int events) {
        node.inTransaction(connection -> {
            for (int i = 1; i <= events; i++) {
                node.postrider.emit(connection, Event.of(topic, "counted", "{}").withKey("k" + i % 4));
            }
        });
    }

    private void assertOutageCostsNothing(String relay, int events) {
        Await.until("it was tried again and again", () -> refusals.get() >= 3);
        assertThat(node.status(relay).setbacks()).isZero();
        Await.until(
                "the reason is shown",
                () -> String.valueOf(node.status(relay).lastError()).contains("mail server is down"));
        isDown = false;
        node.awaitCursor(relay, events);
        assertThat(node.deadLetters(relay)).isEmpty();
        Await.until("the reason is cleared", () -> node.status(relay).lastError() == null);
        assertThat(watched).contains(relay + ": mail server is down");
    }

    @Test
    void an_outage_of_a_relay_handler_counts_no_attempt() {
        node.add(oneAttempt(Listener.relay("each", "each", this::send)));
        emit("each", 5);
        assertOutageCostsNothing("each", 5);
        assertThat(arrived).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void an_outage_of_a_batch_handler_counts_no_attempt_and_halves_no_batch() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        node.add(oneAttempt(Listener.relayBatch("batch", "batch", events -> {
            sizes.add(events.size());
            refuseIfDown();
            events.forEach(event -> arrived.add(event.position()));
        })));
        emit("batch", 5);
        assertOutageCostsNothing("batch", 5);
        assertThat(arrived).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(sizes).containsOnly(5);
    }

    @Test
    void an_outage_of_a_handler_with_several_threads_counts_no_attempt() {
        node.add(oneAttempt(Listener.relay("threads", "threads", this::send)).withConcurrency(4));
        emit("threads", 12);
        assertOutageCostsNothing("threads", 12);
        // A key that was handled while another one was refused is handled again, so there may be duplicates.
        assertThat(arrived).contains(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
    }

    @Test
    void events_handled_before_the_outage_are_not_handled_again() {
        node.add(oneAttempt(Listener.relay("halfway", "halfway", event -> {
            if (event.position() > 3) {
                refuseIfDown();
            }
            arrived.add(event.position());
        })));
        emit("halfway", 5);
        assertOutageCostsNothing("halfway", 5);
        assertThat(arrived).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    /** The second of two attempts falls into the outage; if it counted, the event would become a dead letter. */
    @Test
    void an_outage_during_a_retry_counts_no_attempt() {
        AtomicInteger calls = new AtomicInteger();
        Listener relay = Listener.relay("again", "again", event -> {
            if (calls.incrementAndGet() == 1) {
                throw new IOException("this event failed");
            }
            send(event);
        });
        node.add(relay.withAttempts(2).withBackoff(SOON, SOON).withPolicy(FailurePolicy.PARK));
        emit("again", 1);
        Await.until("it was tried again and again", () -> refusals.get() >= 3);
        isDown = false;
        Await.until("the event arrives", () -> arrived.equals(List.of(1L)));
        assertThat(node.deadLetters("again")).isEmpty();
    }

    @Test
    void a_relay_waits_as_long_as_its_handler_asks_for() {
        retryAfter = Duration.ofMinutes(10);
        node.add(oneAttempt(Listener.relay("later", "later", this::send)));
        emit("later", 1);
        Await.until("the wait is recorded", () -> node.status("later").lastError() != null);
        assertThat(node.number("select extract(epoch from unavailable_until - clock_timestamp())::int8"
                        + " from postrider.listener where name = 'later'"))
                .isBetween(400L, 600L);
        assertThat(refusals.get()).isEqualTo(1);
    }

    @Test
    void a_job_that_throws_it_has_the_fate_unavailable() {
        Worker worker = Worker.on("mail")
                .handling("plain", job -> {
                    refuseIfDown();
                    return Fate.done();
                })
                .handlingInTransaction("transactional", (connection, job) -> {
                    refuseIfDown();
                    return Fate.done();
                });
        node.postrider.add(
                worker.withRetry("plain", RetryPolicy.never()).withRetry("transactional", RetryPolicy.never()));
        for (String type : List.of("plain", "transactional")) {
            refusals.set(0);
            isDown = true;
            UUID id = JobDesk.enqueue(node, Job.of("mail", type, "{}"));
            Await.until("it was tried again and again", () -> refusals.get() >= 3);
            retryAfter = Duration.ofHours(1);
            Await.until("it waits for an hour", () -> {
                Jobs.Status job = JobDesk.status(node, id);
                return "unavailable".equals(job.waitsFor()) && job.attempts() == 0;
            });
            assertThat(JobDesk.status(node, id).error()).isEqualTo("mail server is down");
            isDown = false;
            retryAfter = Duration.ZERO;
            Await.until(
                    "it is retried by hand, or was due",
                    () -> node.postrider.jobs().retry(id)
                            || JobDesk.status(node, id).state() == State.DONE);
            JobDesk.awaitState(node, id, State.DONE);
        }
    }

    @Test
    void an_invalid_wait_or_reason_is_refused() {
        assertThatThrownBy(() -> new UnavailableException(Duration.ofMillis(-1), "down"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("retry after");
        assertThatThrownBy(() -> new UnavailableException(Duration.ofDays(36_501), "down"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("retry after");
        assertThatThrownBy(() -> new UnavailableException(Duration.ZERO, null))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("reason");
    }
}
