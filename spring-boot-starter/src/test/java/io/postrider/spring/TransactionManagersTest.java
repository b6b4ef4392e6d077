package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** The choice of the transaction manager for handlers. */
@PostgresTest
class TransactionManagersTest {
    private final ApplicationContextRunner runner;
    private final String url;

    TransactionManagersTest(TestDatabase database) {
        this.url = database.jdbcUrl();
        this.runner = new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(DataSourceAutoConfiguration.class, PostriderAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + url);
    }

    /** A manager that is not plain JDBC, like that of JPA. */
    public static final class Richer implements PlatformTransactionManager {
        private final JdbcTransactionManager inner;

        Richer(DataSource dataSource) {
            this.inner = new JdbcTransactionManager(dataSource);
        }

        public DataSource getDataSource() {
            return Objects.requireNonNull(inner.getDataSource());
        }

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return inner.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            inner.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            inner.rollback(status);
        }
    }

    private ApplicationContextRunner with(String name, boolean primary) {
        return runner.withInitializer(context -> add(context, name, primary));
    }

    private static void add(ConfigurableApplicationContext context, String name, boolean primary) {
        ((GenericApplicationContext) context)
                .registerBean(
                        name,
                        PlatformTransactionManager.class,
                        () -> new DataSourceTransactionManager(context.getBean(DataSource.class)),
                        definition -> definition.setPrimary(primary));
    }

    @Test
    void the_only_one_of_the_data_source_also_behind_a_proxy() {
        with("tx", false)
                .withBean(
                        "elsewhere",
                        PlatformTransactionManager.class,
                        () -> new DataSourceTransactionManager(new DriverManagerDataSource(url)))
                .run(context -> assertThat(
                                context.getBean(SpringTransactions.class).choose())
                        .isSameAs(context.getBean("tx")));
        DataSource target = new DriverManagerDataSource(url);
        runner.withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(target))
                .withBean("tx", PlatformTransactionManager.class, () -> new JdbcTransactionManager(target))
                .run(context -> assertThat(
                                context.getBean(SpringTransactions.class).choose())
                        .isSameAs(context.getBean("tx")));
    }

    @Test
    void one_of_its_own_where_the_application_has_none_for_the_data_source() {
        runner.withBean(
                        "elsewhere",
                        PlatformTransactionManager.class,
                        () -> new DataSourceTransactionManager(new DriverManagerDataSource(url)))
                .run(context -> assertThat(
                                context.getBean(SpringTransactions.class).choose())
                        .isInstanceOf(JdbcTransactionManager.class)
                        .isNotSameAs(context.getBean("elsewhere")));
    }

    @Test
    void of_several_the_primary_one_then_the_one_that_knows_more_than_jdbc() {
        with("one", false)
                .withInitializer(context -> add(context, "two", true))
                .run(context -> assertThat(
                                context.getBean(SpringTransactions.class).choose())
                        .isSameAs(context.getBean("two")));
        with("one", false)
                .withInitializer(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "richer",
                                PlatformTransactionManager.class,
                                () -> new Richer(context.getBean(DataSource.class))))
                .run(context -> assertThat(
                                context.getBean(SpringTransactions.class).choose())
                        .isSameAs(context.getBean("richer")));
    }

    @Test
    void where_it_is_not_clear_the_start_is_refused_and_a_property_decides() {
        ApplicationContextRunner both = with("one", false).withInitializer(context -> add(context, "two", false));
        both.run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("one, two")
                .hasMessageContaining("postrider.transaction-manager"));
        both.withPropertyValues("postrider.transaction-manager=two")
                .run(context -> assertThat(
                                context.getBean(SpringTransactions.class).choose())
                        .isSameAs(context.getBean("two")));
    }

    @Test
    void one_that_manages_something_else_or_does_not_exist_is_refused_at_the_start() {
        ApplicationContextRunner elsewhere = runner.withBean(
                "elsewhere",
                PlatformTransactionManager.class,
                () -> new DataSourceTransactionManager(new DriverManagerDataSource(url)));
        elsewhere
                .withPropertyValues("postrider.transaction-manager=elsewhere")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("elsewhere, which does not manage Postrider's data source"));
        elsewhere
                .withPropertyValues("postrider.transaction-manager=nowhere")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("nowhere, which is not a transaction manager; found: elsewhere"));
    }

    /** For example that of a message broker: it begins a transaction that does not include our connection. */
    @Test
    void one_that_binds_no_connection_of_the_data_source_is_refused_when_it_begins() {
        for (String autoCommit : List.of("true", "false")) {
            runner.withBean("blind", PlatformTransactionManager.class, Blind::new)
                    .withPropertyValues(
                            "postrider.transaction-manager=blind", "spring.datasource.hikari.auto-commit=" + autoCommit)
                    .run(context -> assertThatThrownBy(() ->
                                    context.getBean(SpringTransactions.class).begin())
                            .hasMessageContaining("blind does not manage Postrider's data source"));
        }
    }

    private static final class Blind extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
