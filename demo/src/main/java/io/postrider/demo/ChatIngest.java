package io.postrider.demo;

import io.postrider.redis.IngestOptions;
import io.postrider.redis.RedisIngest;
import io.postrider.server.relay.RedisAddress;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** With Redis, messages come in through a stream, which both processes use. */
@Configuration(proxyBeanMethods = false)
class ChatIngest {
    /**
     * One worker, because with two the messages of a conversation could overtake each other. A short timeout, because a user is
     * watching: the entries of a killed worker are moved by the next one after 5 s.
     */
    private static final IngestOptions INGEST =
            IngestOptions.of("livechat-ingest").withWorkers(1).withClaimAfter(Duration.ofSeconds(5));

    @Bean(destroyMethod = "close")
    @Conditional(HasRedis.class)
    RedisIngest redisIngest(Environment environment) {
        return new RedisIngest(RedisAddress.of(environment::getProperty).orElseThrow(), INGEST);
    }

    static final class HasRedis implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return RedisAddress.of(context.getEnvironment()::getProperty).isPresent();
        }
    }
}
