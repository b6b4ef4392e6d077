package io.postrider.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Options;
import io.postrider.Postrider;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Meters of the node and of the database, if the application has a registry. */
@AutoConfiguration(
        after = PostriderAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, Postrider.class})
public class PostriderMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MicrometerWatch micrometerWatch(MeterRegistry registry, PostriderProperties properties) {
        Options options = properties.options();
        return new MicrometerWatch(registry, options.node(), options.schema());
    }

    @Bean
    @ConditionalOnMissingBean
    DatabaseGauges postriderDatabaseGauges(
            DataSource dataSource, Options options, MeterRegistry registry, Postrider afterMigration) {
        return new DatabaseGauges(dataSource, options.schema(), registry);
    }
}
