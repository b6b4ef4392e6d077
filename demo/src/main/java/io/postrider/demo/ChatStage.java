package io.postrider.demo;

import io.postrider.cli.demo.Stage;
import io.postrider.livechat.LiveChat;
import io.postrider.server.Server;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;

/** Serves the live chat on the server, with a key that is drawn for this run and kept nowhere. */
public final class ChatStage implements Stage {
    private final Map<String, String> environment;

    /** By the environment of this process: it says whether there is a Redis. */
    public ChatStage() {
        this(System.getenv());
    }

    ChatStage(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Play open(String jdbcUrl, int port, boolean quiet) {
        Map<String, String> settings = ChatSettings.ofAll(jdbcUrl, environment, quiet);
        settings.put("postrider.roles", "api,gateway");
        settings.put("postrider.http.port", Integer.toString(port));
        settings.put("postrider.gateway.topics", LiveChat.TOPIC);
        settings.put("postrider.auth.secrets." + ChatServing.KEY, newSecret());
        if (ChatSettings.hasRedis(environment)) {
            settings.put("postrider.gateway.feed", "redis");
        }
        return new OnServer(Server.start(settings, ChatServing.class));
    }

    private static String newSecret() {
        byte[] secret = new byte[48];
        new SecureRandom().nextBytes(secret);
        return Base64.getEncoder().encodeToString(secret);
    }

    private record OnServer(Server server) implements Play {
        @Override
        public String url() {
            return "http://127.0.0.1:" + server.port() + "/";
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
