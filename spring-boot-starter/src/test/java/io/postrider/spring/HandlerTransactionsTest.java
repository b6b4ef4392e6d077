package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.Jobs;
import io.postrider.spring.shop.Clerk;
import io.postrider.spring.shop.ShopApplication;
import io.postrider.spring.shop.Stores;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Writes of a transactional handler through the application's own repositories commit with the event or job, or not at all:
 * for each technology, with JPA's transaction manager and with that of plain JDBC.
 */
@PostgresTest(per = PostgresTest.Per.CLASS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HandlerTransactionsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    static final String NO_JPA = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    private final List<App> apps = new ArrayList<>();

    /** A running application, and the state that the test checks. */
    private record App(String manager, ConfigurableApplicationContext context, JdbcTemplate outside) {
        Postrider postrider() {
            return context.getBean(Postrider.class);
        }

        int attempts(String value) {
            return context.getBean(Clerk.class).attempts(value);
        }

        /** Reads on a separate connection, so it sees only committed rows. */
        long rows(String value) {
            Long count = outside.queryForObject("select count(*) from booking where value = ?", Long.class, value);
            return count == null ? -1 : count;
        }

        void send(Runnable work) {
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> work.run());
        }

        <T> T sending(Supplier<T> work) {
            return new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .execute(status -> work.get());
        }

        @Override
        public String toString() {
            return manager;
        }
    }

    @BeforeAll
    void start(TestDatabase database) {
        JdbcTemplate outside = new JdbcTemplate(database.dataSource());
        outside.execute("create sequence booking_seq increment 50");
        outside.execute("create table booking (id bigint primary key, value varchar(20))");
        apps.add(app("JpaTransactionManager", database, outside, "spring.jpa.open-in-view=false"));
        apps.add(app(
                "JdbcTransactionManager",
                database,
                outside,
                "spring.autoconfigure.exclude=" + NO_JPA,
                "postrider.schema=postrider_jdbc"));
        apps.forEach(app -> assertThat(app.context().getBean(PlatformTransactionManager.class))
                .extracting(manager -> manager.getClass().getSimpleName())
                .isEqualTo(app.manager()));
    }

    private static App app(String manager, TestDatabase database, JdbcTemplate outside, String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(ShopApplication.class)
                .properties(properties)
                .properties("spring.datasource.url=" + database.jdbcUrl())
                .run();
        return new App(manager, context, outside);
    }

    @AfterAll
    void stop() {
        apps.forEach(app -> app.context().close());
    }

    Stream<Arguments> stores() {
        return apps.stream()
                .flatMap(app -> Stores.ALL.stream()
                        .filter(store -> !store.equals("jpa") || app.manager().startsWith("Jpa"))
                        .map(store -> Arguments.of(app, store)));
    }

    Stream<App> managers() {
        return apps.stream();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void a_listener_that_throws_after_saving_leaves_nothing_and_the_retry_saves_once(App app, String store) {
        for (String how : List.of("plain", "service", "telling")) {
            String value = unique(how);
            emit(app, "orders", store + ":" + value + ":" + how);
            awaitHandled(app, "bookings", value, 2);
            assertThat(app.rows(value)).as(how).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void a_batch_that_throws_after_saving_leaves_nothing_and_the_retry_saves_once(App app, String store) {
        String value = unique("bulk");
        emit(app, "bulk", store + ":" + value + ":plain");
        awaitHandled(app, "batches", value, 2);
        assertThat(app.rows(value)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void a_job_that_throws_after_saving_leaves_nothing_and_the_retry_saves_once(App app, String store) {
        for (String how : List.of("plain", "service", "telling")) {
            String value = unique(how);
            UUID job = enqueue(app, store + ":" + value + ":" + how);
            assertThat(awaitEnd(app, job)).isEqualTo(Jobs.State.DONE);
            assertThat(app.attempts(value)).isEqualTo(2);
            assertThat(app.rows(value)).as(how).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void a_service_with_requires_new_commits_by_itself(App app, String store) {
        String value = unique("a");
        emit(app, "orders", store + ":" + value + ":apart");
        awaitHandled(app, "bookings", value, 2);
        assertThat(app.rows(value)).isEqualTo(1);
        assertThat(app.rows(value + "-apart")).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void a_service_that_marks_the_transaction_for_rollback_fails_the_handler(App app, String store) {
        String event = unique("m");
        emit(app, "orders", store + ":" + event + ":marked");
        awaitHandled(app, "bookings", event, 2);
        assertThat(app.rows(event)).isZero();
        assertThat(app.postrider().deadLetters().find(DeadLetters.Filter.all(), 0, 1_000))
                .anySatisfy(letter -> {
                    assertThat(letter.event().payload()).contains(event);
                    assertThat(letter.error()).contains("marked for rollback");
                });
        String value = unique("m");
        UUID job = enqueue(app, store + ":" + value + ":marked");
        assertThat(awaitEnd(app, job)).isEqualTo(Jobs.State.FAILED);
        assertThat(app.rows(value)).isZero();
    }

    @ParameterizedTest
    @MethodSource("managers")
    void what_a_handler_emits_by_the_transactional_variant_commits_with_it(App app) {
        String value = unique("t");
        emit(app, "orders", "client:" + value + ":telling");
        awaitHandled(app, "bookings", value, 2);
        String schema = app.manager().startsWith("Jpa") ? "postrider" : "postrider_jdbc";
        assertThat(app.outside()
                        .queryForObject(
                                "select count(*) from " + schema
                                        + ".event where topic = 'booked' and payload = ?::jsonb",
                                Long.class,
                                "\"" + value + "\""))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void a_row_that_the_database_refuses_fails_its_event_alone(App app, String store) {
        String good = unique("g");
        String tooLong = unique("a-value-of-more-than-twenty-characters");
        app.send(() -> {
            emitNow(app, "orders", store + ":" + tooLong + ":plain");
            emitNow(app, "orders", store + ":" + good + ":plain");
        });
        awaitHandled(app, "bookings", good, 2);
        assertThat(app.attempts(tooLong)).isEqualTo(2);
        assertThat(app.rows(tooLong)).isZero();
        assertThat(app.rows(good)).isEqualTo(1);
    }

    private static void emit(App app, String topic, String payload) {
        app.send(() -> emitNow(app, topic, payload));
    }

    private static void emitNow(App app, String topic, String payload) {
        app.context().getBean(TransactionalPostrider.class).emit(Event.of(topic, "order", "\"" + payload + "\""));
    }

    private static UUID enqueue(App app, String payload) {
        return app.sending(() -> app.context()
                .getBean(TransactionalPostrider.class)
                .enqueue(Job.of("books", "book", "\"" + payload + "\"")));
    }

    private static void awaitHandled(App app, String listener, String value, int attempts) {
        Await.until(value + " is handled", LONG, () -> app.attempts(value) >= attempts);
        Await.until(
                "it has passed " + value,
                LONG,
                () -> app.postrider().listeners().list().stream()
                        .anyMatch(one -> one.name().equals(listener) && one.lag() == 0 && one.setbacks() == 0));
    }

    private static Jobs.State awaitEnd(App app, UUID job) {
        Await.until(
                "the job has ended",
                LONG,
                () -> app.postrider()
                        .jobs()
                        .find(job)
                        .filter(status -> status.state() == Jobs.State.DONE || status.state() == Jobs.State.FAILED)
                        .isPresent());
        return app.postrider().jobs().find(job).orElseThrow().state();
    }

    private static String unique(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().substring(0, 6);
    }
}
