package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.Identity.Reach;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The lines that a running server writes about single events and jobs, read from its output. */
@PostgresTest
@Tag("slow")
class ActivityLinesTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final String secret = LiveServer.newSecret();
    private String address = "";

    private ChildJvm start(TestDatabase database, String... rate) {
        String[] arguments = rate.length == 0
                ? new String[] {database.jdbcUrl(), secret}
                : new String[] {database.jdbcUrl(), secret, rate[0]};
        ChildJvm server =
                ChildJvm.of(LinesServer.class).withArguments(arguments).start();
        address = "http://127.0.0.1:" + server.awaitLine("ready ", LONG).substring("ready ".length());
        return server;
    }

    private String post(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                .header(
                        "Authorization",
                        "Bearer " + LiveServer.mint(secret).issue("root", null, Reach.ALL, LiveServer.HOUR))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var response = client.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        return JSON.readTree(response.body()).path("id").asString();
    }

    @Test
    void each_event_and_job_has_its_lines_at_info_with_the_fields_that_searches_use(TestDatabase database)
            throws Exception {
        try (ChildJvm server = start(database)) {
            String receipt = post("/v1/queues/mail/jobs", "{\"type\":\"receipt\",\"payload\":1,\"key\":\"order-42\"}");
            JsonNode claimed = line(
                    server, "job_claimed", one -> one.path("job_id").asString().equals(receipt));
            assertThat(claimed.path("level").asString()).isEqualTo("info");
            assertThat(claimed.path("item_id").asString()).isEqualTo("order-42");
            assertThat(claimed.path("attempt").asInt()).isEqualTo(1);
            assertThat(claimed.path("worker_id").asString()).isEqualTo("node-1");
            assertThat(claimed.path("job_type").asString()).isEqualTo("receipt");
            JsonNode completed = line(
                    server,
                    "job_completed",
                    one -> one.path("job_id").asString().equals(receipt));
            assertThat(completed.path("level").asString()).isEqualTo("info");
            assertThat(completed.path("item_id").asString()).isEqualTo("order-42");
            assertThat(completed.path("worker_id").asString()).isEqualTo("node-1");
            assertThat(completed.path("attempt").asInt()).isEqualTo(1);
            assertThat(completed.path("duration_ms").isIntegralNumber()).isTrue();

            String flaky = post("/v1/queues/mail/jobs", "{\"type\":\"flaky\",\"payload\":1}");
            JsonNode failed = line(
                    server, "job_failed", one -> one.path("job_id").asString().equals(flaky));
            assertThat(failed.path("will_retry").asBoolean()).isTrue();
            assertThat(failed.path("error_code").asString()).isEqualTo("busy");
            assertThat(failed.path("error").asString()).isEqualTo("try later");
            assertThat(failed.path("duration_ms").isIntegralNumber()).isTrue();
            assertThat(failed.has("item_id")).as("it has no key").isFalse();
            assertThat(line(
                                    server,
                                    "job_completed",
                                    one -> one.path("job_id").asString().equals(flaky))
                            .path("attempt")
                            .asInt())
                    .isEqualTo(2);

            String dead = post("/v1/queues/mail/jobs", "{\"type\":\"hopeless\",\"payload\":1,\"key\":\"k\"}");
            JsonNode died = line(
                    server, "job_failed", one -> one.path("job_id").asString().equals(dead));
            assertThat(died.path("level").asString()).isEqualTo("error");
            assertThat(died.path("will_retry").isBoolean()).isTrue();
            assertThat(died.path("will_retry").asBoolean()).isFalse();
            assertThat(died.path("error_code").asString()).isEqualTo("no_such_address");
            assertThat(died.path("item_id").asString()).isEqualTo("k");
            assertThat(died.path("worker_id").asString()).isEqualTo("node-1");
        }
    }

    @Test
    void an_event_has_lines_from_emit_to_dead_letter(TestDatabase database) throws Exception {
        try (ChildJvm server = start(database)) {
            String good = post("/v1/topics/orders/events", "{\"type\":\"good\",\"payload\":1}");
            JsonNode enqueued = line(
                    server,
                    "outbox_enqueued",
                    one -> one.path("event_id").asString().equals(good));
            assertThat(enqueued.path("level").asString()).isEqualTo("info");
            assertThat(enqueued.path("topic").asString()).isEqualTo("orders");
            assertThat(enqueued.path("type").asString()).isEqualTo("good");
            JsonNode published = line(server, "outbox_publish_succeeded", one -> isOfLedger(one, good));
            assertThat(published.path("position").asLong()).isEqualTo(1);
            assertThat(published.path("attempt").asInt()).isEqualTo(1);

            String bad = post("/v1/topics/orders/events", "{\"type\":\"bad\",\"payload\":1}");
            JsonNode failed = line(server, "outbox_publish_failed", one -> isOfLedger(one, bad));
            assertThat(failed.path("position").asLong()).isEqualTo(2);
            assertThat(failed.path("attempt").asInt()).isEqualTo(1);
            assertThat(failed.path("will_retry").asBoolean()).isTrue();
            assertThat(failed.path("error_code").asString()).isEqualTo("out_of_stock");
            JsonNode last = line(server, "outbox_publish_failed", one -> isOfLedger(one, bad));
            assertThat(last.path("attempt").asInt()).isEqualTo(2);
            assertThat(last.path("will_retry").asBoolean()).isFalse();
            JsonNode dead = line(server, "outbox_dead_lettered", one -> isOfLedger(one, bad));
            assertThat(dead.path("position").asLong()).isEqualTo(2);
            assertThat(dead.path("attempt").asInt()).isEqualTo(2);
            assertThat(dead.path("error_code").asString()).isEqualTo("out_of_stock");
        }
    }

    @Test
    void beyond_the_rate_lines_are_counted_and_none_is_unaccounted_for(TestDatabase database) throws Exception {
        int events = 60;
        try (ChildJvm server = start(database, "2")) {
            String one = "{\"type\":\"good\",\"payload\":1}";
            for (int i = 0; i < events; i++) {
                post("/v1/topics/orders/events", one);
            }
            ProcessHandle.of(server.pid()).orElseThrow().destroy();
            server.awaitExit(LONG);
            List<JsonNode> lines = server.lines().stream()
                    .filter(line -> line.startsWith("{"))
                    .map(JSON::readTree)
                    .toList();
            long written = count(lines, "outbox_enqueued");
            long leftOut = lines.stream()
                    .filter(line -> line.path("event").asString("").equals("log_lines_left_out"))
                    .mapToLong(line -> line.path("outbox_enqueued").asLong())
                    .sum();
            assertThat(leftOut).isPositive();
            assertThat(written + leftOut).isEqualTo(events);
            assertThat(count(lines, "log_lines_left_out"))
                    .as("one line in 10 s")
                    .isLessThan(written);
        }
    }

    private static long count(List<JsonNode> lines, String event) {
        return lines.stream()
                .filter(line -> line.path("event").asString("").equals(event))
                .count();
    }

    private static boolean isOfLedger(JsonNode line, String id) {
        return line.path("event_id").asString().equals(id)
                && line.path("listener").asString("").equals("ledger");
    }

    /** The next such line; lines before it are skipped. */
    private static JsonNode line(ChildJvm server, String event, Predicate<JsonNode> wanted) {
        return JSON.readTree(server.awaitLine(event, LONG, text -> {
            if (!text.startsWith("{")) {
                return false;
            }
            JsonNode line = JSON.readTree(text);
            return line.path("event").asString("").equals(event) && wanted.test(line);
        }));
    }
}
