package io.postrider.demo;

import io.postrider.Postrider;
import io.postrider.gateway.Feed;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.Inbound;
import io.postrider.gateway.TokenMint;
import io.postrider.livechat.LiveChat;
import io.postrider.livechat.MintedPasses;
import io.postrider.livechat.Trouble;
import io.postrider.livechat.WorkerProcesses;
import io.postrider.redis.RedisIngest;
import jakarta.servlet.ServletRegistration;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** The chat in the serving process. */
@Configuration(proxyBeanMethods = false)
@Import(ChatIngest.class)
class ChatServing {
    /** The id of the key that signs the demo's tokens. */
    static final String KEY = "mint";

    @Bean(destroyMethod = "close")
    LiveChat liveChat(Postrider postrider, DataSource dataSource, ObjectProvider<RedisIngest> ingest) {
        LiveChat chat = LiveChat.on(postrider, dataSource).install();
        return Optional.ofNullable(ingest.getIfAvailable())
                .map(stream -> chat.withStream("Redis", stream::add, stream::waiting))
                .orElse(chat);
    }

    /** Messages from browsers, over the WebSocket of the gateway. */
    @Bean
    Inbound chatMessages(LiveChat chat) {
        return chat.inbound();
    }

    /** Without Redis, this process broadcasts from the log; with Redis, the listener of the same name in the worker does. */
    @Bean(destroyMethod = "")
    @Conditional(ChatIngest.NoRedis.class)
    Feed broadcast(LiveChat chat) {
        return chat.broadcast();
    }

    @Bean(destroyMethod = "close")
    WorkerProcesses workerProcesses(Environment environment, LiveChat installed) {
        return ChatWorker.supervised(environment::getRequiredProperty, environment::getProperty);
    }

    @Bean
    ServletContextInitializer chatServlets(
            LiveChat chat, Environment environment, WorkerProcesses workerProcesses, Gateway gateway) {
        String secret = environment.getRequiredProperty("postrider.auth.secrets." + KEY);
        MintedPasses passes =
                new MintedPasses(TokenMint.of("postrider", "postrider", secret.getBytes(StandardCharsets.UTF_8)));
        Trouble trouble = new ChatTrouble(workerProcesses, gateway.hub());
        return context -> chat.servlets(passes, trouble).forEach((servlet, patterns) -> {
            ServletRegistration.Dynamic added =
                    context.addServlet(servlet.getClass().getSimpleName(), servlet);
            added.setAsyncSupported(true);
            added.addMapping(patterns.toArray(String[]::new));
        });
    }
}
