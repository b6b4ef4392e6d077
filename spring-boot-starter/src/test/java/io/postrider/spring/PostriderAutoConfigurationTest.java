package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.Worker;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a Spring Boot application gets by having the starter on its class path. */
@PostgresTest
class PostriderAutoConfigurationTest {
    private static final List<String> heard = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner runner;

    PostriderAutoConfigurationTest(TestDatabase database) {
        runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        PostriderMetricsAutoConfiguration.class,
                        PostriderAutoConfiguration.class,
                        PostriderHealthAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + database.jdbcUrl());
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Listener hears() {
            return Listener.relay("hears", "orders", event -> heard.add("event " + event.payload()));
        }

        @Bean
        Worker does() {
            return Worker.on("mail").handling("receipt", job -> {
                heard.add("job " + job.payload());
                return Fate.done();
            });
        }
    }

    @Test
    void listeners_and_workers_run_and_what_a_transaction_rolls_back_never_was() {
        heard.clear();
        runner.withUserConfiguration(Beans.class).run(context -> {
            TransactionalPostrider postrider = context.getBean(TransactionalPostrider.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transaction.executeWithoutResult(status -> {
                postrider.emit(Event.of("orders", "placed", "1"));
                postrider.enqueue(Job.of("mail", "receipt", "1"));
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> {
                postrider.emitAll(List.of(Event.of("orders", "placed", "2"), Event.of("orders", "placed", "3")));
                postrider.enqueueAll(List.of(Job.of("mail", "receipt", "4")));
            });
            Await.until("three are heard", () -> heard.size() == 3);
            assertThat(heard).containsExactlyInAnyOrder("event 2", "event 3", "job 4");
        });
    }

    @Test
    void an_event_is_in_the_transaction_of_the_jdbc_template_beside_it() {
        runner.run(context -> {
            TransactionalPostrider postrider = context.getBean(TransactionalPostrider.class);
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            jdbc.execute("create table shop (id int primary key)");
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        jdbc.update("insert into shop values (1)");
                        postrider.emit(Event.of("orders", "placed", "1"));
                        jdbc.update("insert into shop values (1)");
                    }))
                    .isNotNull();
            assertThat(jdbc.queryForObject("select count(*) from postrider.event", Long.class))
                    .isZero();
            assertThat(jdbc.queryForObject("select count(*) from shop", Long.class))
                    .isZero();
        });
    }

    @Test
    void outside_a_transaction_it_refuses_and_says_what_to_do() {
        runner.run(context -> {
            TransactionalPostrider postrider = context.getBean(TransactionalPostrider.class);
            assertThatThrownBy(() -> postrider.emit(Event.of("orders", "placed", "1")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("@Transactional");
            DataSource another =
                    new DriverManagerDataSource(context.getEnvironment().getProperty("spring.datasource.url"));
            TransactionTemplate elsewhere = new TransactionTemplate(new DataSourceTransactionManager(another));
            assertThatThrownBy(() ->
                            elsewhere.executeWithoutResult(status -> postrider.enqueue(Job.of("mail", "receipt", "1"))))
                    .hasMessageContaining("data source");
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            assertThat(jdbc.queryForObject("select count(*) from postrider.event", Long.class))
                    .isZero();
        });
    }

    @Test
    void properties_become_options_and_what_is_not_known_fails_the_start() {
        runner.withPropertyValues(
                        "postrider.schema=outbox",
                        "postrider.node=n1",
                        "postrider.notify=off",
                        "postrider.poll=500ms",
                        "postrider.keep=2d",
                        "postrider.patience=3d",
                        "postrider.payload-cap=1000",
                        "postrider.passSize=77")
                .run(context -> assertThat(context.getBean(Options.class).toString())
                        .contains(
                                "schema=outbox",
                                "node=n1",
                                "notify=off",
                                "poll=PT0.5S",
                                "keep=PT48H",
                                "patience=PT72H",
                                "payload_cap=1000",
                                "pass_size=77"));
        runner.withPropertyValues("postrider.payload-caps=1")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasRootCauseInstanceOf(PostriderException.class)
                        .rootCause()
                        .hasMessageContaining(
                                "unknown setting postrider.payload-caps; did you mean postrider.payload-cap?"));
        runner.withPropertyValues("postrider.poll=1h")
                .run(context ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("poll must be"));
    }

    @Test
    void a_node_that_is_not_to_start_emits_and_runs_nothing() {
        heard.clear();
        runner.withUserConfiguration(Beans.class)
                .withPropertyValues("postrider.start=false")
                .run(context -> {
                    Postrider postrider = context.getBean(Postrider.class);
                    assertThat(postrider.isConnected()).isFalse();
                    try (Connection connection =
                            context.getBean(DataSource.class).getConnection()) {
                        connection.setAutoCommit(false);
                        postrider.emit(connection, Event.of("orders", "placed", "1"));
                        connection.commit();
                    }
                    assertThat(context).doesNotHaveBean(PostriderLifecycle.class);
                    assertThat(context.getBean(Readiness.class).ask().ready()).isFalse();
                });
        runner.withUserConfiguration(Beans.class)
                .withPropertyValues("postrider.listen=false", "postrider.work=false")
                .run(context -> assertThat(
                                context.getBean(Postrider.class).listeners().list())
                        .isEmpty());
        assertThat(heard).isEmpty();
    }

    @Test
    void a_schema_that_is_not_there_is_told_where_it_is_not_to_be_made() {
        runner.withPropertyValues("postrider.migrate=false")
                .run(context ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("postrider migrate"));
    }

    @Test
    void health_is_up_while_the_wire_is_connected() {
        runner.run(context -> {
            HealthIndicator health = context.getBean("postriderHealthIndicator", HealthIndicator.class);
            Await.until("up", () -> health.health().getStatus().equals(Status.UP));
            context.getBean(Postrider.class).close();
            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.health().getDetails().get("why").toString()).contains("wire");
        });
    }
}
