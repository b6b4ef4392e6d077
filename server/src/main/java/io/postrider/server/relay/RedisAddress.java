package io.postrider.server.relay;

import io.postrider.redis.RedisOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The address of Redis, if configured: {@code postrider.redis-url}, or REDIS_HOST and the other REDIS_* variables. */
public final class RedisAddress {
    private static final Map<String, String> NAMES = Map.of(
            "POSTRIDER_REDIS_URL", "postrider.redis-url",
            "POSTRIDER_REDIS_CHANNEL_SECRET", "postrider.redis-channel-secret",
            "REDIS_HOST", "REDIS_HOST",
            "REDIS_PORT", "REDIS_PORT",
            "REDIS_USER", "REDIS_USER",
            "REDIS_PASSWORD", "REDIS_PASSWORD",
            "REDIS_DATABASE", "REDIS_DATABASE",
            "REDIS_TLS", "REDIS_TLS",
            "REDIS_CLUSTER", "REDIS_CLUSTER",
            "REDIS_SENTINEL_PRIMARY", "REDIS_SENTINEL_PRIMARY");

    private RedisAddress() {}

    /** Reads properties and variables by their names; null for missing ones. */
    public static Optional<RedisOptions> of(UnaryOperator<@Nullable String> property) {
        Map<String, String> environment = new HashMap<>();
        NAMES.forEach((variable, name) -> {
            String value = property.apply(name);
            if (value != null && !value.isBlank()) {
                environment.put(variable, value);
            }
        });
        return RedisOptions.fromEnvironment(environment);
    }
}
