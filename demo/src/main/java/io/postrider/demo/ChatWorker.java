package io.postrider.demo;

import io.postrider.Postrider;
import io.postrider.livechat.LiveChat;
import io.postrider.livechat.Supervisor;
import io.postrider.livechat.WorkerProcesses;
import io.postrider.redis.RedisIngest;
import io.postrider.server.Server;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * A worker process: the server in its role worker, with the jobs and the listeners of the chat. It prints
 * {@link Supervisor#READY} when it is ready, and exits when its standard input ends, so it never outlives the process that
 * started it.
 */
public final class ChatWorker {
    private static final String DATABASE = "POSTRIDER_DATABASE_URL";
    /** So that the other one goes on when one is killed. */
    private static final int WORKERS = 2;

    private static final String QUIET = "POSTRIDER_DEMO_QUIET";

    private ChatWorker() {}

    /** Keeps two workers running. Secrets are passed in their environment, which only their own user can read. */
    static WorkerProcesses supervised(Function<String, String> needed, UnaryOperator<@Nullable String> given) {
        Map<String, String> environment = new HashMap<>();
        environment.put(DATABASE, needed.apply("postrider.database-url"));
        environment.put(QUIET, needed.apply("logging.level.root"));
        ChatSettings.REDIS.forEach((variable, setting) -> {
            @Nullable String value = given.apply(setting);
            if (value != null) {
                environment.put(variable, value);
            }
        });
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ChatWorker.class.getName());
        return WorkerProcesses.of(WORKERS, command, environment);
    }

    /** Runs until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> environment = System.getenv();
        boolean quiet = environment.getOrDefault(QUIET, "").equals("off");
        Map<String, String> settings = ChatSettings.ofAll(environment.getOrDefault(DATABASE, ""), environment, quiet);
        settings.put("postrider.roles", "worker");
        settings.put("postrider.http.port", "0");
        if (ChatSettings.hasRedis(environment)) {
            String relay = "postrider.relays." + LiveChat.BROADCAST;
            settings.put(relay + ".type", "redis-pubsub");
            settings.put(relay + ".topic", LiveChat.TOPIC);
        }
        try (Server server = Server.start(settings, Work.class)) {
            System.out.println(Supervisor.READY);
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    /** The chat in the worker process. */
    @Configuration(proxyBeanMethods = false)
    @Import(ChatIngest.class)
    static class Work {
        @Bean(destroyMethod = "close")
        LiveChat liveChat(Postrider postrider, DataSource dataSource) {
            return LiveChat.on(postrider, dataSource);
        }

        /** Called before the node starts. */
        @Bean
        InitializingBean chatAtWork(
                LiveChat chat, Postrider postrider, DataSource dataSource, ObjectProvider<RedisIngest> ingest) {
            return () -> {
                chat.listeners().forEach(postrider::add);
                chat.workers().forEach(postrider::add);
                ingest.ifAvailable(stream -> stream.start(
                        postrider, dataSource, entry -> chat.job(entry.data(), ChatIngest.acceptedAt(entry))));
            };
        }
    }
}
