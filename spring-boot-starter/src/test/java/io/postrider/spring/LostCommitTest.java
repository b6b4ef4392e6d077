package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import io.postrider.admin.DeadLetters;
import io.postrider.admin.Jobs;
import io.postrider.spring.shop.ShopApplication;
import io.postrider.spring.shop.Stores;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** If the answer to a commit is lost, or a callback fails after the commit, effects still happen once. */
@PostgresTest
class LostCommitTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final List<String> CALLS = new CopyOnWriteArrayList<>();

    /** A data source whose connections break after a commit and before the answer arrives, if the thread has requested it. */
    private static final class Lossy extends DelegatingDataSource {
        private static final ThreadLocal<Boolean> ARMED = ThreadLocal.withInitial(() -> false);
        private static final AtomicInteger LOST = new AtomicInteger();

        Lossy(DataSource to) {
            super(to);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Lossy.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        Object result;
                        try {
                            result = method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                        if (method.getName().equals("commit") && ARMED.get()) {
                            ARMED.remove();
                            LOST.incrementAndGet();
                            connection.abort(Runnable::run);
                            throw new SQLException("the connection broke", "08006");
                        }
                        return result;
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Losing {
        @Bean
        static BeanPostProcessor lossy() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource dataSource ? new Lossy(dataSource) : bean;
                }
            };
        }

        @Bean
        Listener losing(Stores stores) {
            return Listener.transactional("losing", "lost", (connection, event) -> work(stores, event.payload()));
        }

        @Bean
        Worker losingJobs(Stores stores) {
            return Worker.on("lost")
                    .handlingInTransaction("t", (connection, job) -> {
                        work(stores, job.payload());
                        return Fate.done();
                    })
                    .withRetry("t", RetryPolicy.table(Duration.ZERO));
        }

        private static void work(Stores stores, String payload) {
            String[] parts = payload.replace("\"", "").split(":");
            stores.save(parts[0], parts[1]);
            boolean first = !CALLS.contains(parts[1]);
            CALLS.add(parts[1]);
            if (first && parts[2].equals("lose")) {
                Lossy.ARMED.set(true);
            } else if (first) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        throw new IllegalStateException("after the commit");
                    }
                });
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"jpa,false,lose", "client,false,lose", "client,true,lose", "jpa,false,after", "client,true,after"})
    void effects_happen_once(String store, boolean plainJdbc, String how, TestDatabase database) {
        JdbcTemplate outside = new JdbcTemplate(database.dataSource());
        outside.execute("create sequence booking_seq increment 50");
        outside.execute("create table booking (id bigint primary key, value varchar(20))");
        CALLS.clear();
        Lossy.LOST.set(0);
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(ShopApplication.class, Losing.class)
                .properties("spring.datasource.url=" + database.jdbcUrl(), "spring.jpa.open-in-view=false")
                .properties(plainJdbc ? "spring.autoconfigure.exclude=" + HandlerTransactionsTest.NO_JPA : "a=b")
                .run()) {
            TransactionalPostrider postrider = context.getBean(TransactionalPostrider.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            UUID job = transaction.execute(status -> {
                postrider.emit(Event.of("lost", "t", "\"" + store + ":event:" + how + "\""));
                postrider.emit(Event.of("lost", "t", "\"" + store + ":next:fine\""));
                return postrider.enqueue(Job.of("lost", "t", "\"" + store + ":job:" + how + "\""));
            });
            Postrider node = context.getBean(Postrider.class);
            Await.until(
                    "the listener has passed both",
                    LONG,
                    () -> node.listeners().list().stream()
                            .anyMatch(one -> one.name().equals("losing") && one.position() == 2));
            Await.until(
                    "the job is done",
                    LONG,
                    () -> node.jobs()
                            .find(job)
                            .filter(one -> one.state() == Jobs.State.DONE)
                            .isPresent());
            assertThat(outside.queryForList("select value from booking order by value", String.class))
                    .containsExactly("event", "job", "next");
            assertThat(Lossy.LOST).hasValue(how.equals("lose") ? 2 : 0);
            assertThat(node.deadLetters().find(DeadLetters.Filter.all(), 0, 10)).isEmpty();
        }
    }
}
