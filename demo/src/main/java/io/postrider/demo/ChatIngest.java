package io.postrider.demo;

import io.postrider.redis.IngestOptions;
import io.postrider.redis.RedisIngest;
import io.postrider.server.relay.RedisAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
     * A short timeout, because a user is watching: the entries that a killed worker was moving are moved by the other one after 2 s.
     * Messages that overtake each other on the way are ordered by {@link #acceptedAt}.
     */
    private static final IngestOptions INGEST =
            IngestOptions.of("livechat-ingest").withWorkers(1).withClaimAfter(Duration.ofSeconds(2));

    /** From the entry's number, such as 1700000000000-7: milliseconds, and a counter within the millisecond. */
    static Instant acceptedAt(RedisIngest.Entry entry) {
        String[] number = entry.number().split("-", -1);
        return Instant.ofEpochMilli(Long.parseLong(number[0]))
                .plus(Math.min(999, Long.parseLong(number[1])), ChronoUnit.MICROS);
    }

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

    static final class NoRedis implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !new HasRedis().matches(context, metadata);
        }
    }
}
