package io.postrider.spring;

import io.postrider.Postrider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** {@code postrider} among the health indicators, where the application has some. Meant for readiness, not for liveness. */
@AutoConfiguration(after = PostriderAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(Postrider.class)
public class PostriderHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "postriderHealthIndicator")
    HealthIndicator postriderHealthIndicator(Readiness readiness) {
        return () -> {
            Readiness.Answer answer = readiness.ask();
            return answer.ready()
                    ? Health.up().build()
                    : Health.down()
                            .withDetail("why", String.valueOf(answer.detail()))
                            .build();
        };
    }
}
