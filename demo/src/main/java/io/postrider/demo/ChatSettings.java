package io.postrider.demo;

import io.postrider.livechat.LiveChat;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings that both processes of the demo share. */
final class ChatSettings {
    /** The address of Redis, if there is one: environment variables and the settings they map to. */
    static final Map<String, String> REDIS = Map.of(
            "POSTRIDER_REDIS_URL", "postrider.redis-url",
            "REDIS_HOST", "REDIS_HOST",
            "REDIS_PORT", "REDIS_PORT",
            "REDIS_USER", "REDIS_USER",
            "REDIS_PASSWORD", "REDIS_PASSWORD",
            "REDIS_DATABASE", "REDIS_DATABASE",
            "REDIS_TLS", "REDIS_TLS",
            "REDIS_CLUSTER", "REDIS_CLUSTER",
            "REDIS_SENTINEL_PRIMARY", "REDIS_SENTINEL_PRIMARY");

    private ChatSettings() {}

    static Map<String, String> ofAll(String jdbcUrl, Map<String, String> environment, boolean quiet) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("postrider.database-url", named(jdbcUrl));
        settings.put("postrider.http.bind", "127.0.0.1");
        settings.put("postrider.event-log.topics", LiveChat.TOPIC);
        settings.put("postrider.log", "text");
        settings.put("logging.level.root", quiet ? "off" : "error");
        REDIS.forEach((variable, setting) -> {
            if (environment.containsKey(variable)) {
                settings.put(setting, environment.get(variable));
            }
        });
        return settings;
    }

    /** By this name the button that cuts the database connections finds those of the chat. */
    private static String named(String jdbcUrl) {
        String name = "ApplicationName=livechat";
        return jdbcUrl.contains(name) || jdbcUrl.isEmpty()
                ? jdbcUrl
                : jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + name;
    }

    /** With Redis, messages come in through a stream and go out through a channel. */
    static boolean hasRedis(Map<String, String> environment) {
        return environment.containsKey("REDIS_HOST") || environment.containsKey("POSTRIDER_REDIS_URL");
    }
}
