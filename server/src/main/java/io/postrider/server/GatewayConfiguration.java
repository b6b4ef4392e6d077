package io.postrider.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Listeners;
import io.postrider.gateway.EventLogHistory;
import io.postrider.gateway.Feed;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.Hub;
import io.postrider.gateway.Inbound;
import io.postrider.gateway.LogFeed;
import io.postrider.gateway.Revocations;
import io.postrider.gateway.jakarta.SocketServlet;
import io.postrider.gateway.jakarta.StreamServlet;
import io.postrider.redis.RedisFeed;
import io.postrider.server.relay.RedisAddress;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.Role;
import io.postrider.server.settings.ServerSettings;
import jakarta.websocket.server.ServerContainer;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.catalina.Lifecycle;
import org.apache.tomcat.websocket.BackgroundProcess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The beans of the role gateway. */
@Configuration(proxyBeanMethods = false)
@Conditional(RoleCondition.Gateway.class)
class GatewayConfiguration {
    private static final Logger log = LoggerFactory.getLogger(GatewayConfiguration.class);
    private static final int RECENT_BYTES = 16 << 20;
    private static final int MESSAGE_BUFFER = 1024;

    @Bean(destroyMethod = "close")
    Gateway gateway(
            ServerSettings settings,
            Keyring keyring,
            Postrider postrider,
            Revocations revocations,
            MeterRegistry registry,
            Environment environment,
            Additions additions) {
        ServerSettings.Gateway wanted = settings.gateway();
        unrecorded(settings, postrider)
                .forEach(topic -> log.warn(
                        "gateway_topic_not_recorded topic={} it is not recorded in the event log: a client that reconnects more"
                                + " than {} events behind must fetch a snapshot; add it to postrider.event-log.topics of a"
                                + " worker",
                        topic,
                        wanted.recent()));
        GatewayOptions options = GatewayOptions.of(wanted.topics().toArray(String[]::new))
                .withOrigins(settings.http().origins().toArray(String[]::new))
                .withSameOrigin(true)
                .withConnections(wanted.connections(), wanted.connectionsOfOne())
                .withRecent(wanted.recent(), RECENT_BYTES)
                .withFormat(wanted.format())
                .withRevocations(revocations)
                .withWatch(new GatewayMeters(registry));
        Inbound inbound = additions.inbound().getIfAvailable();
        Feed feed = additions.feed().getIfAvailable(() -> feed(wanted, postrider, environment));
        Hub hub = Hub.open(
                feed,
                new EventLogHistory(postrider.eventLog()),
                inbound == null ? options : options.withInbound(inbound));
        Gauge.builder("postrider_gateway_connections", hub, Hub::connections).register(registry);
        return Gateway.of(keyring.tokens(), hub);
    }

    /** What an application that runs on the server may add to the gateway: its own source of events, and messages from clients. */
    record Additions(ObjectProvider<Feed> feed, ObjectProvider<Inbound> inbound) {}

    @Bean
    Additions gatewayAdditions(ObjectProvider<Feed> feed, ObjectProvider<Inbound> inbound) {
        return new Additions(feed, inbound);
    }

    /** Topics that the gateway serves but no node records: not this one, by its settings, nor any other node so far. */
    static List<String> unrecorded(ServerSettings settings, Postrider postrider) {
        Set<String> named = settings.eventLog().topics();
        boolean works = settings.allRoles().contains(Role.WORKER);
        Set<String> listeners = postrider.listeners().list().stream()
                .map(Listeners.Status::name)
                .collect(Collectors.toSet());
        return settings.gateway().topics().stream()
                .filter(topic -> !(works && (named == null || named.contains(topic))))
                .filter(topic -> !listeners.contains("event_log:" + topic))
                .sorted()
                .toList();
    }

    private static Feed feed(ServerSettings.Gateway wanted, Postrider postrider, Environment environment) {
        if (wanted.feed() == ServerSettings.Feed.LOG) {
            return new LogFeed(postrider.log());
        }
        return new RedisFeed(
                RedisAddress.of(environment::getProperty)
                        .orElseThrow(() -> PostriderException.refused("postrider.gateway.feed is redis, but no Redis"
                                + " server is configured: set postrider.redis-url, or REDIS_HOST")),
                postrider.log(),
                wanted.channel(),
                wanted.channelFormat());
    }

    @Bean
    ServletRegistrationBean<StreamServlet> streamServlet(Gateway gateway) {
        ServletRegistrationBean<StreamServlet> bean =
                new ServletRegistrationBean<>(new StreamServlet(gateway), "/v1/stream");
        bean.setName("stream");
        bean.setAsyncSupported(true);
        return bean;
    }

    @Bean
    ServletRegistrationBean<SocketServlet> socketServlet(Gateway gateway) {
        ServletRegistrationBean<SocketServlet> bean =
                new ServletRegistrationBean<>(new SocketServlet(gateway), "/v1/socket");
        bean.setName("socket");
        return bean;
    }

    /**
     * By default Tomcat checks only every 10 s for WebSockets whose client has not answered a close frame, and allocates message
     * buffers of 24 KiB for each WebSocket.
     */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> socketsThatCostLittle() {
        return factory -> factory.addContextCustomizers(context -> context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.AFTER_START_EVENT)
                    && context.getServletContext().getAttribute(ServerContainer.class.getName())
                            instanceof ServerContainer container) {
                container.setDefaultMaxTextMessageBufferSize(MESSAGE_BUFFER);
                container.setDefaultMaxBinaryMessageBufferSize(MESSAGE_BUFFER);
                if (container instanceof BackgroundProcess sockets) {
                    sockets.setProcessPeriod(1);
                }
            }
        }));
    }

    /** Stops first: streams are asked to reconnect to another node, so that the shutdown does not wait for them. */
    @Bean
    SmartLifecycle gatewayClosing(Gateway gateway) {
        return new SmartLifecycle() {
            private volatile boolean running;

            @Override
            public void start() {
                running = true;
            }

            @Override
            public void stop() {
                running = false;
                gateway.close();
            }

            @Override
            public boolean isRunning() {
                return running;
            }

            @Override
            public boolean isPauseable() {
                return false;
            }
        };
    }
}
