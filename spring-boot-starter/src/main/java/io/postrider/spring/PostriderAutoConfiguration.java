package io.postrider.spring;

import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.Schedule;
import io.postrider.Worker;
import io.postrider.admin.Watch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * A {@link Postrider} on the application's data source, with every {@link Listener} and {@link Worker} bean, started and closed
 * with the application.
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class)
@ConditionalOnSingleCandidate(DataSource.class)
@EnableConfigurationProperties(PostriderProperties.class)
public class PostriderAutoConfiguration {

    @Bean
    KnownKeys postriderKeys() {
        return KnownKeys.of(PostriderProperties.class);
    }

    /** The effective options: properties, environment, watches, customizers. */
    @Bean
    @ConditionalOnMissingBean
    Options postriderOptions(
            PostriderProperties properties,
            Environment environment,
            ObjectProvider<KnownKeys> keys,
            SpringTransactions transactions,
            ObjectProvider<Watch> watches,
            ObjectProvider<OptionsCustomizer> customizers) {
        KnownKeys.refuseOthers(keys.stream().toList(), environment);
        Options options = properties.options();
        @Nullable String direct = properties.directUrl();
        if (direct != null && properties.hasDirectUrl()) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setURL(direct);
            options = options.withDirect(source);
        }
        options = options.withHandlerTransactions(transactions);
        options = options.withWatch(Watches.of(watches.orderedStream().toList()));
        for (OptionsCustomizer customizer : customizers.orderedStream().toList()) {
            options = customizer.customize(options);
        }
        return options;
    }

    /** Opens the transactions of handlers; finds the transaction manager at startup. */
    @Bean
    @ConditionalOnMissingBean
    SpringTransactions postriderTransactions(
            ConfigurableListableBeanFactory beans, DataSource dataSource, PostriderProperties properties) {
        return new SpringTransactions(
                new TransactionManagers(beans, dataSource, properties.transactionManager()), dataSource);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Postrider postrider(DataSource dataSource, Options options, PostriderProperties properties) {
        Postrider postrider = Postrider.on(dataSource, options);
        if (properties.migrate()) {
            postrider.migrate();
        }
        return postrider;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "postrider.start", havingValue = "true", matchIfMissing = true)
    PostriderLifecycle postriderLifecycle(
            Postrider postrider,
            PostriderProperties properties,
            DataSource dataSource,
            Options options,
            ObjectProvider<Listener> listeners,
            ObjectProvider<Worker> workers,
            ObjectProvider<Schedule> schedules,
            ObjectProvider<SpringTransactions> transactions) {
        return new PostriderLifecycle(
                postrider,
                properties,
                options,
                new PostriderLifecycle.Beans(listeners, workers, schedules, transactions),
                dataSource);
    }

    @Bean
    @ConditionalOnMissingBean
    TransactionalPostrider transactionalPostrider(Postrider postrider, DataSource dataSource) {
        return new TransactionalPostrider(postrider, dataSource);
    }

    @Bean
    @ConditionalOnMissingBean
    Readiness postriderReadiness(Postrider postrider, DataSource dataSource, Options options) {
        return new Readiness(postrider, dataSource, options.schema());
    }
}
