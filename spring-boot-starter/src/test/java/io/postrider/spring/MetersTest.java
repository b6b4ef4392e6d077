package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.ClaimedJob;
import io.postrider.Event;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.Priority;
import io.postrider.admin.JobEnd;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Meters: bounded in number, and a scrape that the database cannot hold up. */
@PostgresTest
@Tag("security")
class MetersTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void a_producer_that_invents_topics_does_not_fill_the_registry() {
        MicrometerWatch watch = new MicrometerWatch(registry, "n", "postrider");
        for (int i = 0; i < 5_000; i++) {
            watch.emitted("topic-" + i, 1);
        }
        String text = registry.scrape();
        assertThat(text.lines().filter(line -> line.startsWith("postrider_events_emitted_total{")))
                .hasSize(201);
        assertThat(text).contains("postrider_events_emitted_total{topic=\"other\"} 4800.0");
    }

    @Test
    @Tag("slow")
    void the_depth_of_a_queue_is_known_by_type_also_where_it_is_deep(TestDatabase database) throws Exception {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate();
                DatabaseGauges gauges = new DatabaseGauges(database.dataSource(), "postrider", registry)) {
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 6_000; i++) {
                    postrider.enqueue(connection, Job.of("mail", i % 3 == 0 ? "a" : "b", "1"));
                }
                connection.commit();
            }
            postrider.jobs().sequence();
            gauges.look();
            assertThat(value("job_queue_depth{job_type=\"a\"}")).isBetween(1_990.0, 2_010.0);
            assertThat(value("job_queue_depth{job_type=\"b\"}")).isBetween(3_990.0, 4_010.0);
            assertThat(value("postrider_queue_depth{queue=\"mail\"}")).isEqualTo(6_000);
        }
    }

    /** 230 types that one user invented hid the jobs of all other types. */
    @Test
    void jobs_of_types_beyond_the_limit_are_counted_together(TestDatabase database) throws Exception {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate();
                DatabaseGauges gauges = new DatabaseGauges(database.dataSource(), "postrider", registry)) {
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 230; i++) {
                    postrider.enqueue(connection, Job.of("mail", "evil-" + i, "1"));
                }
                postrider.enqueue(connection, Job.of("mail", "invoice", "1"));
                connection.commit();
            }
            postrider.jobs().sequence();
            gauges.look();
            assertThat(registry.scrape().lines().filter(line -> line.startsWith("job_queue_depth{")))
                    .hasSize(201);
            assertThat(value("job_queue_depth{job_type=\"other\"}")).isEqualTo(31);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DONE, success",
        "RETRIED, failed",
        "DEAD, dead",
        "SNOOZED, snoozed",
        "UNAVAILABLE, unavailable",
        "CANCELLED, cancelled",
        "RETURNED, returned",
        "LOST, lost"
    })
    void an_attempt_is_counted_by_the_status_that_dashboards_know(JobEnd end, String status) {
        MicrometerWatch watch = new MicrometerWatch(registry, "n", "postrider");
        watch.jobEnded(job(Instant.EPOCH), end, Duration.ofMillis(5));
        assertThat(value("job_completed_total{job_type=\"t\",status=\"" + status + "\"}"))
                .isEqualTo(1);
    }

    @Test
    void notifications_are_counted_by_the_name_of_the_channel_and_by_what_they_say() {
        MicrometerWatch watch = new MicrometerWatch(registry, "n", "own_schema");
        assertThat(value("job_notification_received_total{channel=\"own_schema\"}"))
                .isZero();
        watch.notified("event");
        watch.notified("log");
        watch.notified("event");
        assertThat(value("job_notification_received_total{channel=\"own_schema\"}"))
                .isEqualTo(3);
        assertThat(value("postrider_notifications_received_total{hint=\"event\"}"))
                .isEqualTo(2);
        assertThat(value("postrider_notifications_received_total{hint=\"steer\"}"))
                .isZero();
    }

    @Test
    void the_time_from_insert_to_pickup_is_a_histogram_for_jobs_and_listeners() {
        Instant now = Instant.parse("2026-05-01T12:00:00Z");
        MicrometerWatch watch = new MicrometerWatch(registry, "n", "postrider", Clock.fixed(now, ZoneOffset.UTC));
        watch.jobPickedUp(job(now.minusMillis(40)));
        watch.jobPickedUp(job(now.plusSeconds(5))); // the database's clock is ahead
        watch.jobPickedUp(job(Instant.parse("-4000-01-01T00:00:00Z")));
        watch.pickedUp("mail", List.of(event(now.minusMillis(3)), event(now.minusSeconds(60))));
        assertThat(value("postrider_job_pickup_seconds_count{job_type=\"t\"}")).isEqualTo(3);
        assertThat(value("postrider_job_pickup_seconds_bucket{job_type=\"t\",le=\"0.001\"}"))
                .isEqualTo(1);
        assertThat(value("postrider_job_pickup_seconds_bucket{job_type=\"t\",le=\"0.05\"}"))
                .isEqualTo(2);
        assertThat(value("postrider_listener_pickup_seconds_count{listener=\"mail\"}"))
                .isEqualTo(2);
        assertThat(value("postrider_listener_pickup_seconds_bucket{listener=\"mail\",le=\"0.005\"}"))
                .isEqualTo(1);
        assertThat(value("postrider_listener_pickup_seconds_bucket{listener=\"mail\",le=\"300.0\"}"))
                .isEqualTo(2);
    }

    @Test
    void invented_types_and_listeners_do_not_fill_the_registry_with_histograms() {
        MicrometerWatch watch = new MicrometerWatch(registry, "n", "postrider");
        for (int i = 0; i < 1_000; i++) {
            watch.pickedUp("listener-" + i, List.of(event(Instant.now())));
        }
        assertThat(registry.scrape()
                        .lines()
                        .filter(line -> line.startsWith("postrider_listener_pickup_seconds_count{")))
                .hasSize(201);
    }

    private static ClaimedJob job(Instant createdAt) {
        return new ClaimedJob(new UUID(0, 1), "q", Priority.NORMAL, "t", "{}", null, null, null, "{}", createdAt, 1, 1);
    }

    private static LogEvent event(Instant createdAt) {
        return new LogEvent("orders", 1, new UUID(0, 1), "t", "{}", null, null, null, null, null, "{}", createdAt);
    }

    @Test
    void a_sink_that_is_away_is_seen_where_failures_are_looked_for() {
        MicrometerWatch watch = new MicrometerWatch(registry, "n", "postrider");
        watch.unavailable("kafka", 1, Duration.ofSeconds(1), new IllegalStateException("no broker"));
        watch.unavailable("kafka", 2, Duration.ofSeconds(2), new IllegalStateException("no broker"));
        assertThat(value("outbox_publish_failed_total{listener=\"kafka\"}")).isEqualTo(2);
        assertThat(value("postrider_sink_unavailable_total{listener=\"kafka\"}"))
                .isEqualTo(2);
    }

    @Test
    void a_listener_that_was_detached_is_still_owed_what_it_has_not_had(TestDatabase database) throws Exception {
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate();
                DatabaseGauges gauges = new DatabaseGauges(database.dataSource(), "postrider", registry);
                Connection connection = database.dataSource().getConnection()) {
            postrider.add(Listener.relay("gone", "orders", event -> {})).start();
            Await.until(
                    "it is registered",
                    Duration.ofSeconds(30),
                    () -> !postrider.listeners().list().isEmpty());
            connection
                    .createStatement()
                    .execute("update postrider.listener set detached_at = clock_timestamp() where name = 'gone'");
            connection.setAutoCommit(false);
            postrider.emit(connection, Event.of("orders", "t", "1"));
            postrider.emit(connection, Event.of("orders", "t", "2"));
            connection.commit();
            postrider.jobs().sequence();
            gauges.look();
            assertThat(value("outbox_pending_count{listener=\"gone\"}")).isEqualTo(2);
            assertThat(value("outbox_oldest_pending_age_seconds{listener=\"gone\"}"))
                    .isPositive();
            assertThat(value("postrider_listener_detached{listener=\"gone\"}")).isEqualTo(1);
        }
    }

    @Test
    void what_waits_while_no_node_runs_is_pending(TestDatabase database) throws Exception {
        Postrider.on(database.dataSource()).migrate();
        try (DatabaseGauges gauges = new DatabaseGauges(database.dataSource(), "postrider", registry);
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                    + " values ('mailer', 'orders', 'relay', 'block', 1, 1)");
            statement.execute("insert into postrider.delivery (listener, from_position, to_position, events, worker)"
                    + " values ('mailer', 0, 0, 0, 'test')");
            gauges.look();
            assertThat(value("outbox_pending_count{listener=\"mailer\"}")).isZero();
            statement.execute("insert into postrider.event (topic, type, payload, created_at)"
                    + " values ('orders', 't', '1', clock_timestamp() - interval '107 seconds')");
            Await.until("it is counted", Duration.ofSeconds(30), () -> {
                gauges.look();
                return value("outbox_pending_count{listener=\"mailer\"}") == 1;
            });
            assertThat(value("outbox_oldest_pending_age_seconds{listener=\"mailer\"}"))
                    .isBetween(107.0, 140.0);
        }
    }

    @Test
    void a_scrape_during_a_look_sees_each_gauge_once(TestDatabase database) throws Exception {
        Postrider.on(database.dataSource()).migrate();
        try (DatabaseGauges gauges = new DatabaseGauges(database.dataSource(), "postrider", registry);
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                    + " select 'l' || i, 'orders', 'relay', 'block', 1, 1 from generate_series(1, 100) i");
            gauges.look();
            AtomicBoolean looked = new AtomicBoolean();
            CompletableFuture<Integer> scrapes = CompletableFuture.supplyAsync(() -> {
                int count = 0;
                while (!looked.get()) {
                    registry.scrape(); // throws DuplicateLabelsException
                    count++;
                }
                return count;
            });
            for (int i = 0; i < 50; i++) {
                gauges.look();
            }
            looked.set(true);
            assertThat(scrapes.get(60, TimeUnit.SECONDS)).isPositive();
            assertThat(value("outbox_pending_count{listener=\"l100\"}")).isZero();
            statement.execute("delete from postrider.listener where name = 'l100'");
            gauges.look();
            assertThat(registry.scrape()).contains("listener=\"l99\"").doesNotContain("listener=\"l100\"");
        }
    }

    @Test
    void a_database_that_does_not_answer_holds_a_scrape_up_for_a_second_and_no_more(TestDatabase database)
            throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.server().port());
                Postrider postrider = Postrider.on(database.dataSource()).migrate();
                DatabaseGauges gauges = new DatabaseGauges(through(database, proxy), "postrider", registry)) {
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                postrider.emit(connection, Event.of("orders", "t", "1"));
                connection.commit();
            }
            Duration answered = answered(database);
            proxy.hold();
            long began = System.nanoTime();
            String text = registry.scrape();
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("a scrape that the database answers took %s", answered)
                    .isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_500).plus(answered.multipliedBy(5)));
            assertThat(text).contains("postrider_database_read_age_seconds");
            proxy.resume();
            Await.until("it is read", Duration.ofSeconds(30), () -> {
                gauges.refresh();
                return value("postrider_database_read_age_seconds") < 5;
            });
        }
    }

    /** Every row of a gauge asks for the query when the last one is 5 s old. */
    @Test
    @Tag("slow")
    void a_scrape_of_many_gauges_waits_once_for_a_database_that_does_not_answer(TestDatabase database)
            throws Exception {
        Postrider.on(database.dataSource()).migrate();
        try (TcpProxy proxy = TcpProxy.to(database.server().port());
                DatabaseGauges gauges = new DatabaseGauges(through(database, proxy), "postrider", registry);
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                    + " select 'l' || i, 'orders', 'relay', 'block', 1, 1 from generate_series(1, 10) i");
            gauges.look();
            long looked = System.nanoTime();
            Duration answered = answered(database);
            proxy.hold();
            Await.until(
                    "the reading is old",
                    () -> System.nanoTime() - looked > Duration.ofMillis(5_100).toNanos());
            long began = System.nanoTime();
            assertThat(registry.scrape()).contains("outbox_pending_count{listener=\"l10\"}");
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("a scrape that the database answers took %s", answered)
                    .isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_500).plus(answered.multipliedBy(5)));
        }
    }

    /** How long a scrape takes here and now with its query. */
    private static Duration answered(TestDatabase database) {
        PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (DatabaseGauges gauges = new DatabaseGauges(database.dataSource(), "postrider", own)) {
            long began = System.nanoTime();
            own.scrape();
            return Duration.ofNanos(System.nanoTime() - began);
        }
    }

    private static DataSource through(TestDatabase database, TcpProxy proxy) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(database.jdbcUrl(proxy.port()));
        return source;
    }

    private double value(String series) {
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }
}
