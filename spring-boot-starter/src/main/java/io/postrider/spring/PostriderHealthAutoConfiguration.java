package io.postrider.spring;

import io.postrider.Postrider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the health indicator {@code postrider}, if health indicators are in use. Meant for readiness, not for liveness. */
@AutoConfiguration(after = PostriderAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(Postrider.class)
public class PostriderHealthAutoConfiguration {

    /** An application that only emits has no node, and is healthy while the schema is current. */
    @Bean
    @ConditionalOnEnabledHealthIndicator("postrider")
    @ConditionalOnMissingBean(name = "postriderHealthIndicator")
    HealthIndicator postriderHealthIndicator(Readiness readiness, PostriderProperties properties) {
        return () -> {
            Readiness.Answer answer = properties.start() ? readiness.ask() : readiness.askSchema();
            Health.Builder health =
                    answer.ready() ? Health.up() : Health.down().withDetail("why", String.valueOf(answer.detail()));
            return properties.start()
                    ? health.build()
                    : health.withDetail("node", "not started").build();
        };
    }
}
