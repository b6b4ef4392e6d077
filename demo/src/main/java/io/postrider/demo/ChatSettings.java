package io.postrider.demo;

import io.postrider.livechat.LiveChat;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings that the two processes of the demo have in common. */
final class ChatSettings {
    private static final String REDIS_HOST = "REDIS_HOST";
    private static final String REDIS_URL = "POSTRIDER_REDIS_URL";

    private ChatSettings() {}

    static Map<String, String> ofAll(String jdbcUrl, Map<String, String> environment, boolean quiet) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("postrider.database-url", jdbcUrl);
        settings.put("postrider.http.bind", "127.0.0.1");
        settings.put("postrider.event-log.topics", LiveChat.TOPIC);
        settings.put("postrider.log", "text");
        settings.put("logging.level.root", quiet ? "off" : "error");
        for (String variable : new String[] {REDIS_HOST, "REDIS_PORT", "REDIS_PASSWORD"}) {
            if (environment.containsKey(variable)) {
                settings.put(variable, environment.get(variable));
            }
        }
        if (environment.containsKey(REDIS_URL)) {
            settings.put("postrider.redis-url", environment.get(REDIS_URL));
        }
        return settings;
    }

    /** Then messages come in through a stream of it and go out through a channel of it. */
    static boolean hasRedis(Map<String, String> environment) {
        return environment.containsKey(REDIS_HOST) || environment.containsKey(REDIS_URL);
    }
}
