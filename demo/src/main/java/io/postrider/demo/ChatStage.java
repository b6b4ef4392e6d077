package io.postrider.demo;

import io.postrider.PostriderException;
import io.postrider.cli.demo.Stage;
import io.postrider.livechat.LiveChat;
import io.postrider.server.Server;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
        try {
            return new OnServer(Server.start(settings, ChatServing.class));
        } catch (RuntimeException e) {
            throw refusal(e, port);
        }
    }

    private static String newSecret() {
        byte[] secret = new byte[48];
        new SecureRandom().nextBytes(secret);
        return Base64.getEncoder().encodeToString(secret);
    }

    /** The commonest reason in words of ours, and what to do. */
    private static RuntimeException refusal(RuntimeException e, int port) {
        for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof PostriderException ours) {
                return ours;
            }
            if (cause instanceof java.net.BindException
                    || cause.getClass().getSimpleName().equals("PortInUseException")) {
                return new PostriderException(
                        PostriderException.Kind.CONFLICT,
                        "port " + port + " is taken; choose another by --port, or any free one by --port 0",
                        e);
            }
        }
        return e;
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
