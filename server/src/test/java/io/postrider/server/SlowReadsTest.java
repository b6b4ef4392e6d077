package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.PostriderException;
import io.postrider.server.LiveServer.Reply;
import io.postrider.server.api.Problem;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads that take as long as they can, many of them: who writes, and who looks for revoked tokens, does not notice. */
@PostgresTest
@Tag("slow")
@Tag("security")
class SlowReadsTest {
    private static final String EVENT = "{\"type\":\"t\",\"payload\":1,\"project_id\":\"shop\"}";

    @Test
    @Timeout(180)
    void reads_that_hang_end_in_time_and_hold_up_nobody_else(TestDatabase database) throws Exception {
        Map<String, String> settings =
                Map.of("postrider.api.readers", "2", "postrider.api.read-timeout", "3s", "postrider.pool-size", "4");
        ExecutorService readers = Executors.newFixedThreadPool(60);
        try (LiveServer server = LiveServer.on(database, settings)) {
            String shop = server.mint()
                    .issue("service", "shop", io.postrider.gateway.Identity.Reach.PROJECT, LiveServer.HOUR, "stolen");
            List<Future<Reply>> reads = new ArrayList<>();
            try (Connection held = database.dataSource().getConnection()) {
                held.setAutoCommit(false);
                held.createStatement().execute("lock table postrider.dead_letter in access exclusive mode");
                for (int i = 0; i < 60; i++) {
                    reads.add(readers.submit(() -> server.get(shop, "/v1/dead-letters")));
                }
                Await.until(
                        "some are told to come again",
                        Duration.ofSeconds(60),
                        () -> reads.stream().anyMatch(Future::isDone));
                assertThat(server.get(server.project("other"), "/v1/topics/orders/events")
                                .status())
                        .as("one project has half of the readers at most")
                        .isEqualTo(200);
                for (int i = 0; i < 20; i++) {
                    assertThat(server.post(server.operator(), "/v1/topics/orders/events", EVENT)
                                    .status())
                            .isEqualTo(201);
                }
                server.postrider()
                        .revocations()
                        .revoke("stolen", Instant.now().plusSeconds(7_200), "while others read");
                Await.until(
                        "the token is refused",
                        Duration.ofSeconds(30),
                        () -> server.get(shop, "/v1/dead-letters").status() == 401);
                for (Future<Reply> read : reads) {
                    assertToldWhy(read.get());
                }
                held.rollback();
            }
            assertThat(server.get(server.operator(), "/v1/dead-letters").status())
                    .isEqualTo(200);
        } finally {
            readers.shutdownNow();
        }
    }

    @Test
    @Timeout(180)
    void retrying_or_cancelling_a_job_does_not_wait_for_reads(TestDatabase database) throws Exception {
        ExecutorService readers = Executors.newFixedThreadPool(20);
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.api.readers", "1"));
                Connection held = database.dataSource().getConnection()) {
            String job = server.post(
                            server.operator(),
                            "/v1/queues/mails/jobs",
                            "{\"type\":\"t\",\"payload\":1,\"run_at\":\""
                                    + Instant.now().plusSeconds(7_200) + "\"}")
                    .json()
                    .path("id")
                    .asString();
            Await.until(
                    "the job is there",
                    Duration.ofSeconds(30),
                    () -> server.get(server.operator(), "/v1/jobs/" + job).status() == 200);
            held.setAutoCommit(false);
            held.createStatement().execute("lock table postrider.event_log in access exclusive mode");
            List<Future<Reply>> reads = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                reads.add(readers.submit(() -> server.get(server.operator(), "/v1/topics/orders/events")));
            }
            Await.until(
                    "some are told to come again",
                    Duration.ofSeconds(60),
                    () -> reads.stream().anyMatch(Future::isDone));
            for (String change :
                    List.of("retry", "cancel")) { // 409: no worker has looked at it, so it does not wait yet
                Reply reply = server.post(server.operator(), "/v1/jobs/" + job + "/" + change, "{}");
                assertThat(reply.status()).as(change + ": " + reply.text()).isIn(200, 409);
            }
            held.rollback();
        } finally {
            readers.shutdownNow();
        }
    }

    @Test
    @Timeout(180)
    void one_user_leaves_reads_to_the_other_users_of_the_project(TestDatabase database) throws Exception {
        Map<String, String> settings = Map.of("postrider.api.readers", "4", "postrider.api.read-timeout", "30s");
        ExecutorService readers = Executors.newFixedThreadPool(40);
        try (LiveServer server = LiveServer.on(database, settings);
                Connection held = database.dataSource().getConnection()) {
            held.setAutoCommit(false);
            held.createStatement().execute("lock table postrider.event_log in access exclusive mode");
            List<Future<Reply>> reads = new ArrayList<>();
            String ann = server.user("ann", "shop");
            for (int i = 0; i < 40; i++) {
                reads.add(readers.submit(() -> server.get(ann, "/v1/topics/orders/events")));
            }
            Await.until(
                    "some are told to come again",
                    Duration.ofSeconds(60),
                    () -> reads.stream().anyMatch(Future::isDone));
            Reply bob = server.get(server.user("bob", "shop"), "/v1/jobs/" + java.util.UUID.randomUUID());
            assertThat(bob.status()).as(bob.text()).isEqualTo(404);
            held.rollback();
        } finally {
            readers.shutdownNow();
        }
    }

    @Test
    void a_write_that_took_too_long_may_be_tried_again_and_is_no_bad_request() {
        Problem problem = Problem.of(new PostriderException(
                PostriderException.Kind.FAILED, "emit", new SQLException("canceling statement", "57014")));
        assertThat(problem.status()).isEqualTo(503);
        assertThat(problem.headers()).containsEntry("Retry-After", "1");
        assertThat(problem.json()).doesNotContain("the read timed out");
    }

    /** It took too long, or there were too many, or its token was revoked meanwhile; no more than that. */
    private static void assertToldWhy(Reply reply) {
        switch (reply.status()) {
            case 400 -> assertThat(reply.detail()).contains("the read timed out");
            case 401 -> assertThat(reply.detail()).contains("revoked");
            case 503 -> {
                assertThat(reply.detail()).contains("too many concurrent reads");
                assertThat(reply.response().headers().firstValue("Retry-After")).contains("1");
            }
            default -> throw new AssertionError(reply.status() + " " + reply.text());
        }
    }
}
