package io.postrider.server;

import io.postrider.Postrider;
import io.postrider.server.relay.ConfiguredRelay;
import io.postrider.server.settings.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The beans of the role worker: the configured relays, and the recording of the event log. */
@Configuration(proxyBeanMethods = false)
@Conditional(RoleCondition.Worker.class)
class WorkerConfiguration {

    @Bean
    Recording recording(ServerSettings settings) {
        return new Recording(
                settings.eventLog().topics(),
                settings.gateway().topics(),
                settings.eventLog().topicLimit());
    }

    @Bean
    InitializingBean recordingOfThisNode(Recording recording, Postrider postrider) {
        return () -> recording.of(postrider);
    }

    @Bean(destroyMethod = "close")
    Relays configuredRelays(ServerSettings settings, Postrider postrider, Environment environment) {
        return new Relays(settings, postrider, environment);
    }

    /** All configured relays. Closed after the node: the node stops before any bean is destroyed. */
    static final class Relays implements AutoCloseable {
        private final List<ConfiguredRelay> all = new ArrayList<>();

        Relays(ServerSettings settings, Postrider postrider, Environment environment) {
            try {
                settings.relays().forEach((name, given) -> {
                    ConfiguredRelay relay = ConfiguredRelay.of(name, given, environment::getProperty);
                    all.add(relay);
                    postrider.add(relay.listener());
                });
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        @Override
        public void close() {
            all.forEach(relay -> relay.sink().close());
        }
    }
}
