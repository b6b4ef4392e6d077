package io.postrider.server;

import io.postrider.PostriderException;
import io.postrider.server.settings.Keyring;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * The addresses on which the server actually listens. Spring's {@code server.address} overrides our {@code postrider.http.bind},
 * and an application may add connectors. So this class checks the connectors and not a setting: before they open where that is
 * possible, and all of them again after the server has started.
 */
final class Listening
        implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>,
                ApplicationListener<WebServerInitializedEvent>,
                Ordered {
    private static final Logger log = LoggerFactory.getLogger(Listening.class);

    private final boolean hasKeys;
    private volatile boolean local;

    Listening(Keyring keyring) {
        this.hasKeys = keyring.development().isEmpty();
    }

    /** Whether only this machine can connect; false until the server has started. */
    boolean isLocal() {
        return local;
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.addConnectorCustomizers(this::judgeBeforeItOpens);
        factory.getAdditionalConnectors().forEach(this::judgeBeforeItOpens);
    }

    /** Runs after every other customizer, because those may add connectors. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    private void judgeBeforeItOpens(Connector connector) {
        connector.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.BEFORE_START_EVENT)) {
                refuse(connector);
            }
        });
    }

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        List<Connector> connectors = new ArrayList<>();
        if (event.getWebServer() instanceof TomcatWebServer tomcat) {
            Engine engine = tomcat.getTomcat().getEngine();
            for (Service service : engine.getService().getServer().findServices()) {
                connectors.addAll(List.of(service.findConnectors()));
            }
        }
        connectors.forEach(this::refuse);
        connectors.stream()
                .map(Listening::plainHttp)
                .filter(Objects::nonNull)
                .forEach(risk -> log.warn("insecure_setting {}", risk));
        local = connectors.stream().allMatch(Listening::isLocal);
    }

    private void refuse(Connector connector) {
        if (!hasKeys && !isLocal(connector)) {
            InetAddress address = address(connector);
            throw PostriderException.refused("the server would listen on "
                    + (address == null ? "every address" : address.getHostAddress()) + ", port " + connector.getPort()
                    + ", and has no key to verify tokens: set postrider.auth.secrets.<key id> or"
                    + " postrider.auth.public-keys.<key id>, or listen on 127.0.0.1 only (postrider.http.bind; the"
                    + " setting server.address, SERVER_ADDRESS in the environment, overrides it)");
        }
    }

    /** Null if the connector is local or uses TLS. Without a key, such a connector is refused. */
    static @Nullable String plainHttp(Connector connector) {
        if (isLocal(connector) || connector.getSecure()) {
            return null;
        }
        InetAddress address = address(connector);
        return "key=postrider.http.bind tokens and payloads are sent without encryption to "
                + (address == null ? "every address" : address.getHostAddress()) + " of this machine, port "
                + connector.getPort()
                + ": put a proxy that terminates TLS in front, and bind to an address that only the"
                + " proxy can reach";
    }

    private static boolean isLocal(Connector connector) {
        InetAddress address = address(connector);
        return address != null && address.isLoopbackAddress();
    }

    /** Null means every address of this machine. */
    private static @Nullable InetAddress address(Connector connector) {
        return connector.getProtocolHandler() instanceof AbstractProtocol<?> protocol ? protocol.getAddress() : null;
    }
}
