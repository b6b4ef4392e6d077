package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import io.postrider.server.LiveServer.Reply;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** What each route does, over real HTTP on a real database. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class ApiTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static LiveServer server;
    private static String operator;

    @Configuration(proxyBeanMethods = false)
    static class Mail {
        @Bean
        Worker mail() {
            return Worker.on("mail")
                    .handling("receipt", job -> Fate.done("{\"sent\":true}"))
                    .handling("hopeless", job -> Fate.dead("no such address"))
                    .handling("broken", job -> {
                        throw new IllegalStateException("inside");
                    })
                    .withRetry("broken", RetryPolicy.never())
                    .withRetry("receipt", RetryPolicy.never());
        }

        @Bean
        Listener choosy() {
            return Listener.relay("choosy", "parcels", event -> {
                        throw new IllegalStateException("not today");
                    })
                    .withAttempts(1)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1));
        }
    }

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(
                database,
                Map.of("postrider.api.user-topics", "orders", "postrider.api.user-queues", "notes"),
                Mail.class);
        operator = server.operator();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static String emit(String token, String topic, String event) {
        Reply reply = server.post(token, "/v1/topics/" + topic + "/events", event);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json().path("id").asString();
    }

    private static JsonNode await(String path, java.util.function.Predicate<JsonNode> wanted) {
        return Await.value("an answer of " + path, LONG, () -> {
            Reply reply = server.get(operator, path);
            return reply.status() == 200 && wanted.test(reply.json())
                    ? java.util.Optional.of(reply.json())
                    : java.util.Optional.empty();
        });
    }

    @Test
    void an_event_that_was_acknowledged_is_read_again_with_every_digit() {
        String id = emit(
                operator,
                "numbers",
                "{\"type\":\"big\",\"payload\":{\"n\":12345678901234567890.1234567890123456789,\"e\":1e-30},\"key\":\"k\","
                        + "\"project_id\":\"p\",\"user_id\":\"u\",\"aggregate_type\":\"order\",\"aggregate_id\":\"7\","
                        + "\"headers\":{\"trace\":\"abc\"}}");
        JsonNode event = await("/v1/events/" + id, found -> true);
        assertThat(event.path("projectid").asString()).isEqualTo("p");
        assertThat(event.path("userid").asString()).isEqualTo("u");
        assertThat(event.path("partitionkey").asString()).isEqualTo("k");
        assertThat(event.path("aggregateid").asString()).isEqualTo("7");
        assertThat(event.path("headers").asString()).contains("trace");
        assertThat(server.get(operator, "/v1/events/" + id).text())
                .contains("12345678901234567890.1234567890123456789", "0.000000000000000000000000000001");
    }

    @Test
    void a_batch_is_one_transaction_and_keeps_its_order() {
        Reply reply = server.post(
                operator,
                "/v1/topics/batches/events",
                "[{\"type\":\"a\",\"payload\":1},{\"type\":\"b\",\"payload\":2},{\"type\":\"c\",\"payload\":3}]");
        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.json().path("ids")).hasSize(3);
        JsonNode page =
                await("/v1/topics/batches/events", found -> found.path("events").size() == 3);
        List<String> types = new ArrayList<>();
        page.path("events").forEach(event -> types.add(event.path("type").asString()));
        assertThat(types).containsExactly("a", "b", "c");
        assertThat(page.path("after").asLong()).isEqualTo(3);

        Reply broken = server.post(
                operator,
                "/v1/topics/batches/events",
                "[{\"type\":\"d\",\"payload\":1},{\"type\":\"!\",\"payload\":2}]");
        assertThat(broken.status()).isEqualTo(400);
        assertThat(server.postrider().log().head("batches")).isEqualTo(3);
    }

    @Test
    void pages_follow_each_other_without_a_hole() {
        for (int i = 1; i <= 5; i++) {
            emit(operator, "pages", "{\"type\":\"t\",\"payload\":" + i + "}");
        }
        await("/v1/topics/pages/events", found -> found.path("events").size() == 5);
        List<Long> positions = new ArrayList<>();
        long after = 0;
        while (true) {
            JsonNode page = server.get(operator, "/v1/topics/pages/events?limit=2&after=" + after)
                    .json();
            page.path("events")
                    .forEach(event -> positions.add(event.path("position").asLong()));
            if (page.path("events").isEmpty()) {
                break;
            }
            after = page.path("after").asLong();
        }
        assertThat(positions).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void events_are_found_by_type_project_user_and_aggregate() {
        String wanted = emit(
                operator,
                "found",
                "{\"type\":\"x\",\"payload\":1,\"project_id\":\"fp\",\"user_id\":\"fu\",\"aggregate_type\":\"order\","
                        + "\"aggregate_id\":\"1\"}");
        emit(operator, "found", "{\"type\":\"y\",\"payload\":2,\"project_id\":\"other\"}");
        await("/v1/topics/found/events", found -> found.path("events").size() == 2);
        for (String filter :
                List.of("type=x", "project_id=fp", "user_id=fu", "aggregate_type=order&aggregate_id=1", "limit=1")) {
            JsonNode found =
                    server.get(operator, "/v1/topics/found/events?" + filter).json();
            assertThat(found.path("events")).as(filter).hasSize(1);
            assertThat(found.at("/events/0/id").asString()).isEqualTo(wanted);
        }
        JsonNode latest = server.get(operator, "/v1/analytics/latest?topic=found&aggregate_type=order&aggregate_id=1")
                .json();
        assertThat(latest.path("id").asString()).isEqualTo(wanted);
        assertThat(server.get(operator, "/v1/analytics/latest?topic=found&aggregate_type=order&aggregate_id=2")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void events_are_counted_by_type_over_time() {
        emit(operator, "counted", "{\"type\":\"x\",\"payload\":1}");
        emit(operator, "counted", "{\"type\":\"x\",\"payload\":1}");
        emit(operator, "counted", "{\"type\":\"y\",\"payload\":1}");
        await("/v1/topics/counted/events", found -> found.path("events").size() == 3);
        JsonNode totals = server.get(operator, "/v1/analytics/totals?by=type&topic=counted")
                .json()
                .path("totals");
        assertThat(totals.get(0).path("name").asString()).isEqualTo("x");
        assertThat(totals.get(0).path("events").asLong()).isEqualTo(2);
        JsonNode counts = server.get(operator, "/v1/analytics/counts?by=type&bucket=day&topic=counted")
                .json()
                .path("counts");
        assertThat(counts.size()).isGreaterThanOrEqualTo(2);
        assertThat(server.get(operator, "/v1/analytics/counts?bucket=week").detail())
                .contains("bucket", "minute");
    }

    @Test
    void a_token_writes_under_its_own_name_and_no_other() {
        String id = emit(server.project("shop"), "orders", "{\"type\":\"t\",\"payload\":1,\"user_id\":\"ada\"}");
        JsonNode event = await("/v1/events/" + id, found -> true);
        assertThat(event.path("projectid").asString()).isEqualTo("shop");
        assertThat(event.path("userid").asString()).isEqualTo("ada");
        String own = emit(server.user("ada", "shop"), "orders", "{\"type\":\"t\",\"payload\":1}");
        assertThat(await("/v1/events/" + own, found -> true).path("userid").asString())
                .isEqualTo("ada");

        assertThat(server.post(
                                server.project("shop"),
                                "/v1/topics/orders/events",
                                "{\"type\":\"t\",\"payload\":1,\"project_id\":\"other\"}")
                        .status())
                .isEqualTo(403);
        assertThat(server.post(
                                server.user("ada", "shop"),
                                "/v1/topics/orders/events",
                                "{\"type\":\"t\",\"payload\":1,\"user_id\":\"bob\"}")
                        .status())
                .isEqualTo(403);
        Reply unlisted =
                server.post(server.user("ada", "shop"), "/v1/topics/payments/events", "{\"type\":\"t\",\"payload\":1}");
        assertThat(unlisted.status()).isEqualTo(403);
        assertThat(unlisted.json().path("next").asString()).contains("postrider.api.user-topics");
        assertThat(server.post(operator, "/v1/topics/queue:mail/events", "{\"type\":\"t\",\"payload\":1}")
                        .detail())
                .contains("/v1/queues/");
    }

    @Test
    void a_project_writes_where_there_is_something_and_makes_no_topics_and_queues() {
        String token = server.project("shop");
        String event = "{\"type\":\"t\",\"payload\":1}";
        Reply topic = server.post(token, "/v1/topics/invented/events", event);
        assertThat(topic.status()).isEqualTo(403);
        assertThat(topic.json().path("next").asString()).contains("postrider.api.project-topics");
        Reply queue = server.post(token, "/v1/queues/invented/jobs", event);
        assertThat(queue.status()).isEqualTo(403);
        assertThat(queue.json().path("next").asString()).contains("postrider.api.project-queues");
        assertThat(server.postrider().log().head("invented")).isZero();

        emit(operator, "invented", event);
        emit(token, "invented", event);
        assertThat(server.post(token, "/v1/queues/mail/jobs", "{\"type\":\"receipt\",\"payload\":1}")
                        .status())
                .as("somebody works on it")
                .isEqualTo(201);
    }

    @Test
    void jobs_are_listed_page_by_page() {
        String later = Instant.now().plus(Duration.ofHours(1)).toString();
        for (String priority : List.of("high", "normal", "low", "high", "normal")) {
            assertThat(server.post(
                                    operator,
                                    "/v1/queues/paged/jobs",
                                    "{\"type\":\"t\",\"payload\":1,\"priority\":\"" + priority + "\",\"run_at\":\""
                                            + later + "\"}")
                            .status())
                    .isEqualTo(201);
        }
        server.postrider().jobs().sequence();
        List<String> ids = new ArrayList<>();
        JsonNode page = server.get(operator, "/v1/jobs?queue=paged&limit=2").json();
        while (true) {
            page.path("jobs").forEach(job -> ids.add(job.path("id").asString()));
            if (!page.has("before")) {
                break;
            }
            page = server.get(
                            operator,
                            "/v1/jobs?queue=paged&limit=2&before="
                                    + page.path("before").asString())
                    .json();
        }
        assertThat(ids).hasSize(5).doesNotHaveDuplicates();
        assertThat(server.get(operator, "/v1/jobs?queue=paged&before=yesterday").detail())
                .contains("before");
    }

    @Test
    void a_job_is_enqueued_done_and_shown() {
        Reply reply = server.post(operator, "/v1/queues/mail/jobs", "{\"type\":\"receipt\",\"payload\":{\"order\":1}}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        String id = reply.json().path("id").asString();
        JsonNode job =
                await("/v1/jobs/" + id, found -> found.path("state").asString().equals("DONE"));
        assertThat(job.at("/result/sent").asBoolean()).isTrue();
        assertThat(job.at("/payload/order").asInt()).isEqualTo(1);
        assertThat(server.post(operator, "/v1/jobs/" + id + "/retry", "{}").status())
                .isEqualTo(409);
        assertThat(server.post(operator, "/v1/jobs/" + id + "/cancel", "{\"reason\":\"late\"}")
                        .json()
                        .path("fate")
                        .asString())
                .isEqualTo("finished");
    }

    @Test
    void a_user_without_a_project_writes_nothing_that_users_of_this_name_in_every_project_would_read() {
        for (String path : List.of("/v1/queues/notes/jobs", "/v1/topics/orders/events")) {
            Reply reply = server.post(server.user("ann", null), path, "{\"type\":\"note\",\"payload\":1}");
            assertThat(reply.status()).as(reply.text()).isEqualTo(403);
            assertThat(reply.text()).contains("claim project");
        }
    }

    @Test
    void a_key_of_an_event_is_the_projects_own_unless_the_token_reaches_all() {
        String body = "{\"type\":\"t\",\"payload\":1,\"key\":\"42\"}";
        List<String> kept = Stream.of(
                        operator, server.project("acme"), server.project("globex"), server.user("ann", "acme"))
                .map(token -> emit(token, "orders", body))
                .map(id -> await("/v1/events/" + id, found -> true)
                        .path("partitionkey")
                        .asString())
                .toList();
        assertThat(kept).containsExactly("42", "acme/42", "globex/42", "acme/42");
    }

    @Test
    void what_an_event_refers_to_is_short_or_refused_and_recording_goes_on() {
        for (String field : List.of("project_id", "user_id", "aggregate_type", "aggregate_id", "key")) {
            Reply reply = server.post(
                    operator,
                    "/v1/topics/orders/events",
                    "{\"type\":\"t\",\"payload\":1,\"" + field + "\":\"" + "x".repeat(1_025) + "\"}");
            assertThat(reply.status()).as(field).isEqualTo(400);
            assertThat(reply.json().path("detail").asString()).contains(field.replace('_', ' '), "1024 bytes");
        }
        await("/v1/events/" + emit(operator, "orders", "{\"type\":\"t\",\"payload\":1}"), found -> true);
    }

    @Test
    void a_job_with_a_unique_key_is_there_once_and_can_be_cancelled() {
        String later = Instant.now().plus(Duration.ofHours(1)).toString();
        String body = "{\"type\":\"receipt\",\"payload\":1,\"unique_key\":\"once\",\"priority\":\"high\",\"run_at\":\""
                + later + "\"}";
        Reply first = server.post(operator, "/v1/queues/mail/jobs", body);
        Reply second = server.post(operator, "/v1/queues/mail/jobs", body);
        assertThat(first.status()).isEqualTo(201);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.json().path("id")).isEqualTo(first.json().path("id"));
        String id = first.json().path("id").asString();
        await(
                "/v1/jobs/" + id,
                job -> job.path("waiting").path("reason").asString().equals("TIME"));
        assertThat(server.post(operator, "/v1/jobs/" + id + "/cancel", "").status())
                .isEqualTo(200);
        await("/v1/jobs/" + id, job -> job.path("state").asString().equals("CANCELLED"));
        assertThat(server.get(operator, "/v1/jobs?queue=mail&state=CANCELLED")
                        .json()
                        .path("jobs"))
                .isNotEmpty();
        assertThat(server.get(operator, "/v1/jobs?queue=mail&state=CANCELED").detail())
                .contains("CANCELLED");
    }

    @Test
    void queues_and_listeners_are_listed_paused_and_resumed() {
        assertThat(server.post(operator, "/v1/queues/mail/pause", "")
                        .json()
                        .path("paused")
                        .asBoolean())
                .isTrue();
        await("/v1/queues", found -> paused(found.path("queues"), "mail"));
        server.post(operator, "/v1/queues/mail/resume", "{}");
        await("/v1/queues", found -> !paused(found.path("queues"), "mail"));
        for (String steering : List.of("pause", "resume")) {
            Reply unknown = server.post(operator, "/v1/queues/mial/" + steering, "");
            assertThat(unknown.status()).as(unknown.text()).isEqualTo(404);
            assertThat(unknown.detail()).contains("no queue mial", "did you mean 'mail'");
        }
        assertThat(server.get(operator, "/v1/queues").text()).doesNotContain("mial");

        assertThat(server.post(operator, "/v1/listeners/choosy/pause", "").status())
                .isEqualTo(200);
        await("/v1/listeners", found -> paused(found.path("listeners"), "choosy"));
        assertThat(server.post(operator, "/v1/listeners/choosy/resume", "").status())
                .isEqualTo(200);
        assertThat(server.post(operator, "/v1/listeners/nobody/pause", "").status())
                .isEqualTo(404);
        Reply dry = server.post(operator, "/v1/listeners/choosy/reset", "{\"to\":\"end\",\"dry_run\":true}");
        assertThat(dry.status()).isEqualTo(200);
        assertThat(dry.json().path("dry_run").asBoolean()).isTrue();
        assertThat(server.post(operator, "/v1/listeners/choosy/reset", "{}").status())
                .isEqualTo(400);
        assertThat(server.get(operator, "/v1/relays").status()).isEqualTo(200);
        assertThat(server.post(operator, "/v1/relays/choosy/test", "").status()).isEqualTo(404);
    }

    private static boolean paused(JsonNode all, String name) {
        for (JsonNode one : all) {
            if (one.path("name").asString().equals(name)) {
                return one.path("paused").asBoolean();
            }
        }
        return false;
    }

    @Test
    void the_stack_trace_of_a_job_is_for_operators() throws Exception {
        UUID id;
        try (Connection connection =
                server.server().bean(javax.sql.DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            id = server.postrider()
                    .enqueue(connection, Job.of("mail", "broken", "{}").withProject("sp"));
            connection.commit();
        }
        JsonNode job =
                await("/v1/jobs/" + id, found -> found.path("state").asString().equals("FAILED"));
        assertThat(job.path("stack").asString()).contains("IllegalStateException: inside", "\tat ");
        Reply ofProject = server.get(server.project("sp"), "/v1/jobs/" + id);
        assertThat(ofProject.json().path("last_error_message").asString()).contains("inside");
        assertThat(ofProject.json().path("last_error_code").asString()).isEqualTo("IllegalStateException");
        assertThat(ofProject.text()).doesNotContain("stack", "\\tat ");
    }

    @Test
    void a_dead_letter_is_listed_shown_replayed_and_discarded() throws Exception {
        try (Connection connection =
                server.server().bean(javax.sql.DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            server.postrider()
                    .emit(connection, Event.of("parcels", "sent", "{}").withProject("dp"));
            connection.commit();
        }
        JsonNode list = await(
                "/v1/dead-letters?listener=choosy",
                found -> !found.path("dead_letters").isEmpty());
        long id = list.at("/dead_letters/0/id").asLong();
        JsonNode letter = server.get(operator, "/v1/dead-letters/" + id).json();
        assertThat(letter.path("error").asString()).contains("not today");
        assertThat(letter.path("last_error_code").asString()).isEqualTo("IllegalStateException");
        assertThat(letter.at("/event/projectid").asString()).isEqualTo("dp");
        assertThat(letter.path("stack").asString()).contains("IllegalStateException: not today", "\tat ");
        Reply ofProject = server.get(server.project("dp"), "/v1/dead-letters/" + id);
        assertThat(ofProject.status()).isEqualTo(200);
        assertThat(ofProject.text()).doesNotContain("stack", "\\tat ");
        assertThat(server.get(server.project("dq"), "/v1/dead-letters/" + id).status())
                .isEqualTo(404);

        assertThat(server.post(operator, "/v1/dead-letters/replay", "{}").status())
                .isEqualTo(400);
        JsonNode dry = server.post(operator, "/v1/dead-letters/replay", "{\"listener\":\"choosy\",\"dry_run\":true}")
                .json();
        assertThat(dry.path("matched").asInt()).isEqualTo(1);
        assertThat(dry.path("replayed").asInt()).isZero();
        JsonNode replayed = server.post(operator, "/v1/dead-letters/replay", "{\"ids\":[" + id + "]}")
                .json();
        assertThat(replayed.path("replayed").asInt()).isEqualTo(1);
        JsonNode again = await(
                "/v1/dead-letters?listener=choosy",
                found -> !found.path("dead_letters").isEmpty());
        long next = again.at("/dead_letters/0/id").asLong();
        assertThat(server.post(operator, "/v1/dead-letters/discard", "{\"ids\":[" + next + "]}")
                        .json()
                        .path("discarded")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void to_revoke_what_has_expired_is_refused_by_name() {
        Reply late = server.post(
                operator,
                "/v1/tokens/revoke",
                "{\"jti\":\"x\",\"expires_at\":\"" + Instant.now().minusSeconds(3_600) + "\"}");
        assertThat(late.status()).isEqualTo(400);
        assertThat(late.detail()).contains("expires_at");
    }

    @Test
    void a_revoked_token_is_not_believed_any_more() {
        String token = server.project("shop");
        assertThat(server.get(token, "/v1/topics/orders/events").status()).isEqualTo(200);
        String claims = new String(
                java.util.Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]),
                java.nio.charset.StandardCharsets.UTF_8);
        String jti = new tools.jackson.databind.json.JsonMapper()
                .readTree(claims)
                .path("jti")
                .asString();
        Reply revoked = server.post(
                operator,
                "/v1/tokens/revoke",
                "{\"jti\":\"" + jti + "\",\"expires_at\":\"" + Instant.now().plusSeconds(7200) + "\"}");
        assertThat(revoked.status()).isEqualTo(200);
        Reply refused = server.get(token, "/v1/topics/orders/events");
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.detail()).contains("revoked");
    }
}
