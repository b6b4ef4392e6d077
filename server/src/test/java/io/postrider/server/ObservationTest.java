package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import io.postrider.server.LiveServer.Reply;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What dashboards and probes see. */
@PostgresTest
@Tag("security")
class ObservationTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    static class Work {
        @Bean
        Worker mail() {
            return Worker.on("mail")
                    .handling("receipt", job -> Fate.done())
                    .handling("hopeless", job -> Fate.dead("no such address"))
                    .handling("later", job -> Fate.done())
                    .withRetry("receipt", RetryPolicy.never());
        }

        @Bean
        Listener fails() {
            return Listener.relay("fails", "orders", event -> {
                        throw new IllegalStateException("no");
                    })
                    .withAttempts(2)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1));
        }

        @Bean
        Listener paused() {
            return Listener.relay("paused", "orders", event -> {}).withPaused(true);
        }
    }

    @Test
    void metrics_have_our_names_and_those_of_the_contract_with_right_values(TestDatabase database) {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.node", "node-1"), Work.class)) {
            String operator = server.operator();
            for (int i = 0; i < 3; i++) {
                server.post(operator, "/v1/topics/orders/events", "{\"type\":\"t\",\"payload\":1}");
            }
            server.post(operator, "/v1/queues/mail/jobs", "{\"type\":\"receipt\",\"payload\":1}");
            server.post(operator, "/v1/queues/mail/jobs", "{\"type\":\"hopeless\",\"payload\":1}");
            server.post(operator, "/v1/queues/idle/jobs", "{\"type\":\"waiting\",\"payload\":1}");
            Await.until("everything is counted", LONG, () -> {
                String text = server.get(null, "/metrics").text();
                return value(text, "outbox_publish_failed_total{listener=\"fails\"}") == 6
                        && value(text, "outbox_publish_success_total{listener=\"event_log:orders\"}") == 3
                        && value(text, "outbox_pending_count{listener=\"paused\"}") == 3
                        && value(text, "postrider_dead_letters{listener=\"fails\"}") == 3
                        && value(text, "job_queue_depth{job_type=\"waiting\"}") == 1
                        && value(text, "job_completed_total{job_type=\"hopeless\",status=\"dead\"}") == 1;
            });
            String text = server.get(null, "/metrics").text();
            assertThat(value(text, "job_claimed_total{job_type=\"receipt\",worker_id=\"node-1\"}"))
                    .isEqualTo(1);
            assertThat(value(text, "job_completed_total{job_type=\"receipt\",status=\"success\"}"))
                    .isEqualTo(1);
            assertThat(value(text, "job_processing_seconds_count{job_type=\"receipt\"}"))
                    .isEqualTo(1);
            assertThat(value(text, "postrider_job_pickup_seconds_count{job_type=\"receipt\"}"))
                    .isEqualTo(1);
            assertThat(value(text, "postrider_listener_pickup_seconds_count{listener=\"event_log:orders\"}"))
                    .isEqualTo(3);
            assertThat(value(text, "outbox_oldest_pending_age_seconds{listener=\"paused\"}"))
                    .isPositive();
            assertThat(value(text, "outbox_publish_latency_ms_count{listener=\"event_log:orders\"}"))
                    .isPositive();
            assertThat(value(text, "postrider_events_emitted_total{topic=\"orders\"}"))
                    .isEqualTo(3);
            assertThat(text).contains("jvm_memory_used");
            assertThat(text).doesNotContain("project", "user_id");
        }
    }

    @Test
    void notifications_and_jobs_found_by_a_poll_are_counted(TestDatabase database) {
        try (LiveServer server = LiveServer.on(database, Map.of(), Work.class)) {
            String operator = server.operator();
            String before = server.get(null, "/metrics").text();
            assertThat(value(before, "job_poll_scanned_total")).isZero();
            String later = Instant.now().plusSeconds(2).toString();
            server.post(
                    operator,
                    "/v1/queues/mail/jobs",
                    "{\"type\":\"later\",\"payload\":1,\"run_at\":\"" + later + "\"}");
            for (String series : List.of(
                    "job_notification_received_total{channel=\"postrider\"}",
                    "postrider_notifications_received_total{hint=\"event\"}",
                    "postrider_notifications_received_total{hint=\"steer\"}")) {
                Await.until("notifications are counted as " + series, LONG, () -> {
                    server.post(operator, "/v1/queues/idle/jobs", "{\"type\":\"waiting\",\"payload\":1}");
                    server.post(operator, "/v1/queues/idle/pause", "{}");
                    return value(server.get(null, "/metrics").text(), series) > value(before, series);
                });
            }
            Await.until(
                    "the job is found when it is due",
                    LONG,
                    () -> value(server.get(null, "/metrics").text(), "job_poll_scanned_total") == 1);
        }
    }

    /** NaN if it is not there. */
    private static double value(String text, String series) {
        Matcher line =
                Pattern.compile("(?m)^" + Pattern.quote(series) + " (\\S+)$").matcher(text);
        return line.find() ? Double.parseDouble(line.group(1)) : Double.NaN;
    }

    @Test
    void metrics_are_open_on_this_machine_and_need_an_operator_where_the_settings_say_so(TestDatabase database) {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.http.metrics", "token"))) {
            assertThat(server.get(null, "/metrics").status()).isEqualTo(401);
            assertThat(server.get(server.project("p"), "/metrics").status()).isEqualTo(403);
            assertThat(server.get(server.operator(), "/metrics").status()).isEqualTo(200);
            assertThat(server.get(null, "/health/live").status()).isEqualTo(200);
        }
    }

    @Test
    @Tag("slow")
    void a_server_without_its_database_lives_and_is_not_ready_and_says_when_to_come_again(TestDatabase database)
            throws Exception {
        try (io.postrider.testkit.TcpProxy proxy =
                        io.postrider.testkit.TcpProxy.to(database.server().port());
                LiveServer server =
                        LiveServer.on(database, Map.of("postrider.database-url", database.jdbcUrl(proxy.port())))) {
            Await.until("ready", LONG, () -> server.get(null, "/health/ready").status() == 200);
            proxy.refuse();
            proxy.cutAll();
            Await.until(
                    "not ready", LONG, () -> server.get(null, "/health/ready").status() == 503);
            assertThat(server.get(null, "/health/ready").text()).isEqualTo("{\"status\":\"down\"}");
            assertThat(server.get(null, "/health/live").status()).isEqualTo(200);
            assertThat(server.get(null, "/metrics").status()).isEqualTo(200);
            Reply reply = server.post(server.operator(), "/v1/topics/orders/events", "{\"type\":\"t\",\"payload\":1}");
            assertThat(reply.status()).as(reply.text()).isEqualTo(503);
            assertThat(reply.response().headers().firstValue("Retry-After")).isPresent();
            proxy.accept();
            Await.until(
                    "ready again", LONG, () -> server.get(null, "/health/ready").status() == 200);
            assertThat(server.post(server.operator(), "/v1/topics/orders/events", "{\"type\":\"t\",\"payload\":1}")
                            .status())
                    .isEqualTo(201);
        }
    }

    @Test
    void a_server_whose_events_get_no_position_is_not_ready(TestDatabase database) throws Exception {
        try (LiveServer server = LiveServer.on(database, Map.of());
                Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            Await.until("ready", LONG, () -> server.get(null, "/health/ready").status() == 200);
            statement.execute("begin; lock table postrider.sequencing in exclusive mode");
            try (Connection another = database.dataSource().getConnection();
                    Statement writing = another.createStatement()) {
                writing.execute("update postrider.pass set at = at - interval '1 hour'");
                writing.execute("insert into postrider.event (topic, type, payload, created_at)"
                        + " values ('orders', 't', '1', clock_timestamp() - interval '107 seconds')");
            }
            Await.until(
                    "not ready", LONG, () -> server.get(null, "/health/ready").status() == 503);
            assertThat(server.get(null, "/health/ready").text())
                    .isEqualTo("{\"status\":\"down\",\"reason\":\"sequencing_stalled\"}");
            assertThat(server.get(null, "/health/live").status()).isEqualTo(200);
            statement.execute("rollback");
            Await.until(
                    "ready again", LONG, () -> server.get(null, "/health/ready").status() == 200);
        }
    }

    @Test
    void each_role_alone_answers_probes_and_nothing_of_the_others(TestDatabase database) {
        try (LiveServer worker = LiveServer.on(database, Map.of("postrider.roles", "worker"))) {
            assertThat(worker.get(null, "/health/live").status()).isEqualTo(200);
            assertThat(worker.get(null, "/metrics").status()).isEqualTo(200);
            assertThat(worker.get(worker.operator(), "/v1/listeners").status()).isEqualTo(404);
            assertThat(worker.get(worker.operator(), "/v1/stream?topic=orders&room=project:p")
                            .status())
                    .isEqualTo(404);
        }
        try (LiveServer api = LiveServer.on(database, Map.of("postrider.roles", "api"))) {
            assertThat(api.get(api.operator(), "/v1/listeners").status()).isEqualTo(200);
            assertThat(api.get(api.operator(), "/v1/stream?topic=orders&room=project:p")
                            .status())
                    .isEqualTo(404);
            api.get(api.operator(), "/v1/listeners")
                    .json()
                    .path("listeners")
                    .forEach(listener -> assertThat(listener.path("owner").isNull())
                            .as("nobody runs " + listener)
                            .isTrue());
        }
        try (LiveServer gateway = LiveServer.on(database, Map.of("postrider.roles", "gateway"))) {
            assertThat(gateway.get(gateway.operator(), "/v1/listeners").status())
                    .isEqualTo(404);
            assertThat(gateway.get(gateway.operator(), "/v1/stream?topic=orders&room=nothing")
                            .status())
                    .isEqualTo(400);
        }
    }
}
