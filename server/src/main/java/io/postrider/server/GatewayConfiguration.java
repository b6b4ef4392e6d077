package io.postrider.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.gateway.EventLogHistory;
import io.postrider.gateway.Feed;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.Hub;
import io.postrider.gateway.LogFeed;
import io.postrider.gateway.Revocations;
import io.postrider.gateway.jakarta.SocketServlet;
import io.postrider.gateway.jakarta.StreamServlet;
import io.postrider.redis.RedisFeed;
import io.postrider.server.relay.RedisAddress;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.ServerSettings;
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

    @Bean(destroyMethod = "close")
    Gateway gateway(
            ServerSettings settings,
            Keyring keyring,
            Postrider postrider,
            Revocations revocations,
            MeterRegistry registry,
            Environment environment) {
        ServerSettings.Gateway wanted = settings.gateway();
        GatewayOptions options = GatewayOptions.of(wanted.topics().toArray(String[]::new))
                .withOrigins(settings.http().origins().toArray(String[]::new))
                .withSameOrigin(true)
                .withConnections(wanted.connections(), wanted.connectionsOfOne())
                .withRevocations(revocations)
                .withWatch(new GatewayMeters(registry));
        Hub hub = Hub.open(feed(wanted, postrider, environment), new EventLogHistory(postrider.eventLog()), options);
        Gauge.builder("postrider_gateway_connections", hub, Hub::connections).register(registry);
        return Gateway.of(keyring.tokens(), hub);
    }

    private static Feed feed(ServerSettings.Gateway wanted, Postrider postrider, Environment environment) {
        if (wanted.feed() == ServerSettings.Feed.LOG) {
            return new LogFeed(postrider.log());
        }
        return new RedisFeed(
                RedisAddress.of(environment::getProperty)
                        .orElseThrow(
                                () -> PostriderException.refused("postrider.gateway.feed is redis, and nothing says"
                                        + " where that is: set postrider.redis-url, or REDIS_HOST")),
                postrider.log(),
                wanted.channel());
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

    /** The first that is stopped: streams are told to come back elsewhere, so that no shutdown waits for one. */
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
