package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.LiveServer.Reply;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Write limits of tokens, and the fields that a token may set. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class WriteLimitsTest {
    private static final String EVENTS = "/v1/topics/orders/events";
    private static final String JOBS = "/v1/queues/mail/jobs";
    private static final String ONE = "{\"type\":\"a\",\"payload\":1}";
    private static LiveServer server;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(
                database,
                Map.of(
                        "postrider.api.user-topics", "orders",
                        "postrider.api.user-queues", "mail",
                        "postrider.api.project-rate", "1",
                        "postrider.api.project-burst", "20",
                        "postrider.api.user-rate", "1",
                        "postrider.api.user-burst", "5"));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static int written(String token, String path, int tries) {
        int written = 0;
        for (int i = 0; i < tries; i++) {
            Reply reply = server.post(token, path, ONE);
            if (reply.status() == 201) {
                written++;
            } else {
                assertThat(reply.status()).as(reply.text()).isEqualTo(429);
                assertThat(reply.text()).contains("-rate");
                assertThat(Integer.parseInt(reply.response()
                                .headers()
                                .firstValue("Retry-After")
                                .orElseThrow()))
                        .isBetween(1, 60);
            }
        }
        return written;
    }

    @ParameterizedTest
    @ValueSource(strings = {EVENTS, JOBS})
    void one_user_and_one_project_write_what_they_may_and_others_are_not_held_up(String path) {
        String project = "p-" + UUID.randomUUID();
        assertThat(written(server.user("ann", project), path, 40)).isBetween(5, 30);
        assertThat(written(server.user("bob", project), path, 1))
                .as("another user of it")
                .isEqualTo(1);
        assertThat(written(server.project(project), path, 200)).isLessThan(190);
        assertThat(server.post(server.user("cid", project), path, ONE).status())
                .as("the project's is used up for all of its users")
                .isEqualTo(429);
        assertThat(written(server.user("ann", "q-" + UUID.randomUUID()), path, 1))
                .isEqualTo(1);
        assertThat(written(server.operator(), path, 100)).isEqualTo(100);
    }

    @Test
    void a_batch_counts_for_its_events() {
        String project = "p-" + UUID.randomUUID();
        String batch = "[" + (ONE + ",").repeat(99) + ONE + "]";
        assertThat(server.post(server.project(project), EVENTS, batch).status()).isEqualTo(201);
        Reply next = server.post(server.project(project), EVENTS, ONE);
        assertThat(next.status()).isEqualTo(429);
        assertThat(Integer.parseInt(
                        next.response().headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(50, 90);
    }

    /** They are read as JSON, which costs as much as one that is accepted. */
    @ParameterizedTest
    @ValueSource(strings = {EVENTS, JOBS})
    void a_large_payload_counts_as_several(String path) {
        String token = server.user("ann", "p-" + UUID.randomUUID());
        String large = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(200_000) + "\"}";
        assertThat(server.post(token, path, large).status()).isEqualTo(201);
        assertThat(server.post(token, path, ONE).status()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "retry"})
    void cancelling_and_retrying_count_too(String verb) {
        String token = server.project("p-" + UUID.randomUUID());
        String path = "/v1/jobs/" + UUID.randomUUID() + "/" + verb;
        Set<Integer> answers = new TreeSet<>();
        for (int i = 0; i < 60; i++) {
            answers.add(server.post(token, path, "{}").status());
        }
        assertThat(answers).contains(429);
    }

    @Test
    void the_reason_of_a_cancellation_is_bounded() {
        Reply reply = server.post(
                server.operator(),
                "/v1/jobs/" + UUID.randomUUID() + "/cancel",
                "{\"reason\":\"" + "x".repeat(1_001) + "\"}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.text()).contains("reason", "1000");
    }

    @ParameterizedTest
    @ValueSource(strings = {EVENTS, JOBS})
    void malformed_bodies_count_too(String path) {
        String ann = server.user("ann", "p-" + UUID.randomUUID());
        Set<Integer> statuses = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            statuses.add(server.post(ann, path, "{\"type\":").status());
        }
        assertThat(statuses).containsExactly(400, 429);
    }

    /** Each may cost a lookup in the database. */
    @ParameterizedTest
    @ValueSource(strings = {"/v1/topics/nope%d/events", "/v1/queues/nope%d/jobs"})
    void topics_and_queues_that_do_not_exist_count_too(String path) {
        String shop = server.project("p-" + UUID.randomUUID());
        Set<Integer> statuses = new TreeSet<>();
        for (int i = 0; i < 60; i++) {
            statuses.add(server.post(shop, path.formatted(i), ONE).status());
        }
        assertThat(statuses).containsExactly(403, 429);
    }

    @Test
    void a_user_does_not_choose_an_events_id_and_a_project_may() {
        String project = "p-" + UUID.randomUUID();
        String chosen = "{\"id\":\"" + UUID.randomUUID() + "\",\"type\":\"a\",\"payload\":1}";
        Reply refused = server.post(server.user("ann", project), EVENTS, chosen);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.detail()).contains("id of an event");
        assertThat(server.post(server.project(project), EVENTS, chosen).status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/analytics/counts?to=-999999999-01-01T00:00:00Z",
                "/v1/analytics/counts?from=-999999999-01-01T00:00:00%2B18:00",
                "/v1/analytics/counts?to=%2B999999999-12-31T23:59:59Z",
                "/v1/analytics/totals?from=0000-01-01T00:00:00Z",
                "/v1/analytics/totals?to=%2B10000-01-01T00:00:00Z"
            })
    void a_time_beyond_the_calendar_is_refused_by_name(String path) {
        Reply reply = server.get(server.operator(), path);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.text()).contains("year 1 to year 9999").containsAnyOf("parameter to", "parameter from");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-999999999-01-01T00:00:00Z", "+999999999-12-31T23:59:59-18:00"})
    void so_is_one_in_a_body(String time) {
        Reply job = server.post(server.operator(), JOBS, "{\"type\":\"a\",\"payload\":1,\"run_at\":\"" + time + "\"}");
        assertThat(job.status()).as(job.text()).isEqualTo(400);
        Reply revoked =
                server.post(server.operator(), "/v1/tokens/revoke", "{\"jti\":\"x\",\"expires_at\":\"" + time + "\"}");
        assertThat(revoked.status()).as(revoked.text()).isEqualTo(400);
        assertThat(revoked.text()).contains("expires_at");
    }
}
