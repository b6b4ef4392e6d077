package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.LiveServer.Reply;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A producer's open transaction holds locks that API requests need: they are refused soon, and nobody else notices. */
@PostgresTest
@Tag("security")
class HeldKeysTest {
    private static final String JOB = "{\"type\":\"t\",\"payload\":1}";
    private static final String EVENT = "{\"type\":\"t\",\"payload\":1}";

    @Test
    @Timeout(60)
    void requests_for_a_held_unique_key_are_refused_and_no_other_write_waits_for_them(TestDatabase database)
            throws Exception {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.event-log.topics", "orders"));
                Connection producer = database.dataSource().getConnection()) {
            String acme = server.project("acme");
            makeQueue(server);
            hold(producer, "select postrider.enqueue('mail', 'x', '1', unique_key => 'acme/k', project_id => 'acme')");
            try (Hammer hammer = Hammer.of(40, () -> enqueue(server, acme, "k"))) {
                Await.until("a request waits for the key", Duration.ofSeconds(10), () -> waiting(database) > 0);
                Quick quick = new Quick();
                for (int i = 0; i < 8; i++) {
                    quick.request("readiness", () -> server.get(null, "/health/ready"), 200);
                    quick.request(
                            "a job of another project",
                            () -> server.post(server.project("other"), "/v1/queues/mail/jobs", JOB),
                            201);
                    quick.request("another key", () -> enqueue(server, acme, "another"), 201, 200);
                    quick.request("an event", () -> server.post(acme, "/v1/topics/orders/events", EVENT), 201);
                    assertThat(waiting(database)).as("connections that wait").isLessThanOrEqualTo(2);
                }
                quick.check();
                Await.until("some are refused", Duration.ofSeconds(10), () -> hammer.replies.size() > 4);
                hammer.replies.forEach(HeldKeysTest::assertToldWhatToDo);
            }
            producer.rollback();
            // 200: a request that waited was first. Others may still take all places of the key.
            Await.until(
                    "the key can be used",
                    Duration.ofSeconds(10),
                    () -> enqueue(server, acme, "k").status() / 100 == 2);
        }
    }

    @Test
    @Timeout(60)
    void many_held_keys_of_one_project_leave_writes_to_the_others(TestDatabase database) throws Exception {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.event-log.topics", "orders"));
                Connection producer = database.dataSource().getConnection()) {
            String acme = server.project("acme");
            makeQueue(server);
            hold(
                    producer,
                    "select postrider.enqueue('mail', 'x', '1', unique_key => 'acme/' || n, project_id => 'acme')"
                            + " from generate_series(0, 59) n");
            AtomicInteger next = new AtomicInteger();
            try (Hammer hammer =
                    Hammer.of(40, () -> enqueue(server, acme, Integer.toString(next.getAndIncrement() % 60)))) {
                Await.until("half of them wait", Duration.ofSeconds(10), () -> waiting(database) >= 8);
                Quick quick = new Quick();
                for (int i = 0; i < 8; i++) {
                    quick.request("readiness", () -> server.get(null, "/health/ready"), 200);
                    quick.request(
                            "a job of another project",
                            () -> server.post(server.project("other"), "/v1/queues/mail/jobs", JOB),
                            201);
                    assertThat(waiting(database)).as("connections that wait").isLessThanOrEqualTo(8);
                }
                quick.check();
                Await.until("some are refused", Duration.ofSeconds(10), () -> hammer.replies.size() > 4);
                hammer.replies.forEach(HeldKeysTest::assertToldWhatToDo);
            }
            producer.rollback();
        }
    }

    /** 300 connections of one project that wrote to invented topics took all connections to the database. */
    @ParameterizedTest
    @CsvSource({"listener, /v1/topics/nope%d/events", "queue, /v1/queues/nope%d/jobs"})
    @Timeout(60)
    void lookups_of_invented_names_leave_writes_to_the_others(String table, String path, TestDatabase database)
            throws Exception {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.event-log.topics", "orders"));
                Connection other = database.dataSource().getConnection()) {
            String acme = server.project("acme");
            other.setAutoCommit(false);
            other.createStatement().execute("lock table postrider." + table + " in access exclusive mode");
            AtomicInteger next = new AtomicInteger();
            try (Hammer hammer = Hammer.of(80, () -> server.post(acme, path.formatted(next.getAndIncrement()), JOB))) {
                Await.until("half of the writers wait", Duration.ofSeconds(10), () -> waiting(database) >= 8);
                Quick quick = new Quick();
                for (int i = 0; i < 8; i++) {
                    quick.request(
                            "an event of another project",
                            () -> server.post(server.project("other"), "/v1/topics/orders/events", EVENT),
                            201);
                }
                quick.check();
                Await.until("some are refused", Duration.ofSeconds(10), () -> hammer.replies.size() > 4);
                hammer.replies.forEach(HeldKeysTest::assertToldWhatToDo);
            }
            other.rollback();
        }
    }

    @Test
    @Timeout(60)
    void an_operator_does_not_wait_long_for_a_row_that_another_transaction_holds(TestDatabase database)
            throws Exception {
        try (LiveServer server = LiveServer.on(database);
                Connection other = database.dataSource().getConnection()) {
            makeQueue(server);
            assertThat(pause(server).status()).isEqualTo(200);
            hold(other, "update postrider.queue set paused = paused where name = 'mail' returning 1");
            long begun = System.nanoTime();
            assertToldWhatToDo(pause(server));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
            other.rollback();
            assertThat(pause(server).status()).isEqualTo(200);
        }
    }

    private static Reply pause(LiveServer server) {
        return server.post(server.operator(), "/v1/queues/mail/pause", "{}");
    }

    private static void makeQueue(LiveServer server) {
        assertThat(server.post(server.operator(), "/v1/queues/mail/jobs", JOB).status())
                .isEqualTo(201);
        Await.until(
                "the queue is there",
                Duration.ofSeconds(10),
                () -> server.get(server.operator(), "/v1/queues").text().contains("\"mail\""));
    }

    private static Reply enqueue(LiveServer server, String token, String unique) {
        return server.post(
                token, "/v1/queues/mail/jobs", "{\"type\":\"t\",\"payload\":1,\"unique_key\":\"" + unique + "\"}");
    }

    private static void hold(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(false);
        connection.createStatement().executeQuery(sql).next();
    }

    private static int waiting(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                ResultSet row = connection
                        .createStatement()
                        .executeQuery("select count(*) from pg_stat_activity"
                                + " where datname = current_database() and wait_event_type = 'Lock'")) {
            row.next();
            return row.getInt(1);
        }
    }

    /**
     * How long requests take that must not wait. If others hold all connections, each of them waits for a lock timeout of 2 s. The
     * median is not disturbed by single requests that a busy machine delays.
     */
    private static final class Quick {
        private final Map<String, List<Duration>> took = new LinkedHashMap<>();

        void request(String what, Supplier<Reply> request, Integer... statuses) {
            long begun = System.nanoTime();
            Reply reply = request.get();
            took.computeIfAbsent(what, any -> new ArrayList<>()).add(Duration.ofNanos(System.nanoTime() - begun));
            assertThat(reply.status()).as(reply.text()).isIn((Object[]) statuses);
        }

        void check() {
            took.forEach(
                    (what, times) -> assertThat(times.stream().sorted().toList().get(times.size() / 2))
                            .as("the median of %s: %s", what, times)
                            .isLessThan(Duration.ofMillis(1_500)));
        }
    }

    private static void assertToldWhatToDo(Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(503);
        assertThat(reply.type()).startsWith("application/problem+json");
        assertThat(reply.json().path("next").asString()).contains("Retry-After");
        assertThat(reply.response().headers().firstValue("Retry-After")).isPresent();
    }

    /** Clients that send the same request again and again, until it is closed. */
    private record Hammer(
            ExecutorService threads, AtomicBoolean ended, List<Future<?>> clients, ConcurrentLinkedQueue<Reply> replies)
            implements AutoCloseable {
        static Hammer of(int clients, Supplier<Reply> request) {
            Hammer hammer = new Hammer(
                    Executors.newFixedThreadPool(clients),
                    new AtomicBoolean(),
                    new ArrayList<>(),
                    new ConcurrentLinkedQueue<>());
            for (int i = 0; i < clients; i++) {
                hammer.clients.add(hammer.threads.submit(() -> {
                    while (!hammer.ended.get()) {
                        hammer.replies.add(request.get());
                    }
                }));
            }
            return hammer;
        }

        @Override
        public void close() throws Exception {
            ended.set(true);
            threads.shutdownNow();
            threads.awaitTermination(10, TimeUnit.SECONDS);
        }
    }
}
