package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.spring.mail.MailApplication;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The starter in an application as in Spring Boot's documentation: only properties and the application's own beans. */
@PostgresTest
class StockApplicationTest {
    private final TestDatabase database;

    StockApplicationTest(TestDatabase database) {
        this.database = database;
    }

    private ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(MailApplication.class)
                .properties(properties)
                .properties("spring.datasource.url=" + database.jdbcUrl(), "spring.jpa.open-in-view=false")
                .run();
    }

    @Test
    void handlers_that_need_postrider_themselves_are_no_cycle() {
        MailApplication.HEARD.clear();
        try (ConfigurableApplicationContext context = start()) {
            TransactionalPostrider postrider = context.getBean(TransactionalPostrider.class);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> postrider.enqueue(Job.of("mail", "welcome", "\"ada\"")));
            Await.until("the mail is sent", () -> MailApplication.HEARD.contains("\"ada\""));
            Postrider node = context.getBean(Postrider.class);
            Await.until("it is recorded", () -> node.eventLog().reached("mails") == 1);
            assertThat(node.schedules().list())
                    .extracting(one -> one.schedule().name())
                    .containsExactly("digest");
        }
    }

    @Test
    void meters_and_health_are_there_with_the_data_source_of_spring_boot() {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBeanNamesForType(MicrometerWatch.class)).hasSize(1);
            assertThat(context.getBeanNamesForType(DatabaseGauges.class)).hasSize(1);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.find("postrider_database_read_age_seconds").gauge())
                    .isNotNull();
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> context.getBean(TransactionalPostrider.class)
                            .enqueue(Job.of("mail", "welcome", "\"bob\"")));
            Await.until(
                    "a job is counted",
                    Duration.ofSeconds(30),
                    () -> Stream.ofNullable(meters.find("job_completed_total").counter())
                            .anyMatch(counter -> counter.count() == 1));
            assertThat(health(context).health().getStatus()).isEqualTo(Status.UP);
        }
    }

    @Test
    void an_application_that_only_emits_is_healthy() {
        try (ConfigurableApplicationContext context = start("postrider.start=false")) {
            assertThat(health(context).health().getStatus()).isEqualTo(Status.UP);
            assertThat(health(context).health().getDetails()).containsEntry("node", "not started");
        }
    }

    @Test
    void a_pool_that_is_too_small_is_refused_at_once_and_the_reason_is_told() {
        assertThatThrownBy(() ->
                        start("spring.datasource.hikari.maximum-pool-size=1").close())
                .hasRootCauseInstanceOf(PostriderException.class)
                .rootCause()
                .hasMessageContaining("at most 1 connection")
                .hasMessageContaining("at least 2")
                .hasMessageContaining("spring.datasource.hikari.maximum-pool-size");
        try (ConfigurableApplicationContext context = start("spring.datasource.hikari.maximum-pool-size=2")) {
            Await.until(
                    "it works with two", () -> context.getBean(Postrider.class).isConnected());
        }
        try (ConfigurableApplicationContext context =
                start("spring.datasource.hikari.maximum-pool-size=1", "postrider.direct-url=" + database.jdbcUrl())) {
            Await.until(
                    "it works with one beside the direct one",
                    () -> context.getBean(Postrider.class).isConnected());
        }
    }

    private static HealthIndicator health(ConfigurableApplicationContext context) {
        return context.getBean("postriderHealthIndicator", HealthIndicator.class);
    }
}
