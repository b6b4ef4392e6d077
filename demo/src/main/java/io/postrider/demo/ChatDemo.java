package io.postrider.demo;

import io.postrider.cli.demo.BrowserDemo;
import io.postrider.livechat.LiveChat;
import io.postrider.server.Server;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;

/** Serves the live chat on the server, with a random key for this run that is not stored anywhere. */
public final class ChatDemo implements BrowserDemo {
    /** No topic or queue of the chat: an empty list cannot be given as a setting. */
    private static final String NO_NAME = "none";

    private final Map<String, String> environment;

    /** Reads the environment of this process, which says whether there is a Redis. */
    public ChatDemo() {
        this(System.getenv());
    }

    ChatDemo(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Play open(String jdbcUrl, int port, boolean quiet) {
        Map<String, String> settings = ChatSettings.ofAll(jdbcUrl, environment, quiet);
        settings.put("postrider.roles", "api,gateway");
        settings.put("postrider.http.port", Integer.toString(port));
        settings.put("postrider.gateway.topics", LiveChat.TOPIC);
        // The tokens of the chat, which everyone gets, write only through the chat's own API.
        settings.put("postrider.api.project-topics", NO_NAME);
        settings.put("postrider.api.project-queues", NO_NAME);
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
