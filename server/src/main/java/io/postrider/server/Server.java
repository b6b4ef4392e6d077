package io.postrider.server;

import io.postrider.PostriderException;
import io.postrider.server.http.FrontFilter;
import io.postrider.server.relay.ConfiguredRelay;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.Role;
import io.postrider.server.settings.ServerSettings;
import io.postrider.spring.PostriderProperties;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** A running server. Closing it shuts it down in order: streams are notified, requests are answered, jobs are released. */
public final class Server implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Server.class);

    /** Threads that answer requests. Streams and pending bodies do not hold one. */
    private static final int WORKERS = 200;

    /** Lines per second and kind about single events and jobs: about 100 KB of log per second at most. */
    private static final int LOG_RATE = 100;

    private final ConfigurableApplicationContext context;

    private Server(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts a server.
     *
     * @param settings by their full names; they override files and environment
     * @param more additional Spring configuration: listeners, workers and servlets of an application
     */
    public static Server start(Map<String, String> settings, Class<?>... more) {
        Map<String, Object> defaults = new HashMap<>();
        defaults.put("spring.main.banner-mode", "off");
        defaults.put("spring.application.name", "postrider");
        // Startup messages of other libraries do not help an operator; their warnings do.
        for (String chatty : List.of("org.apache", "org.springframework", "com.zaxxer.hikari")) {
            defaults.put("logging.level." + chatty, "warn");
        }
        // It logs a stack trace for each malformed message of the peer, which could flood the log; our own lines say
        // what failed.
        defaults.put("logging.level.io.lettuce", "error");
        // The exception says why a start was refused, and the caller reports it.
        defaults.put("logging.level.org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter", "off");
        defaults.put("logging.level.org.springframework.boot.web.server.servlet.context", "error");
        defaults.put(
                "logging.level.org.springframework.boot.tomcat.servlet.DeferredServletContainerInitializers", "off");
        defaults.put("logging.level.org.apache.catalina.loader", "error"); // threads of an aborted start
        SpringApplication application = new SpringApplicationBuilder(ServerConfiguration.class)
                .sources(more)
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(true)
                .properties(defaults)
                .initializers(Server::derive)
                .build();
        application.setAddCommandLineProperties(false);
        application.addListeners(new GivenSettings(settings), new LogForm());
        // Silent until the settings are read, with the levels above. The caller reports a file that cannot be read.
        LoggingSystem.get(Server.class.getClassLoader()).setLogLevel("org.springframework.boot", LogLevel.OFF);
        try {
            return new Server(application.run());
        } catch (RuntimeException e) {
            throw StartRefusal.of(e);
        }
    }

    /** Derives Spring's settings from ours, as the last property source: Spring settings that the user sets override it. */
    private static void derive(ConfigurableApplicationContext context) {
        ConfigurableEnvironment environment = context.getEnvironment();
        BlankSettings.refuse(environment);
        ServerSettings settings = bound(environment, ServerSettings.class);
        bound(environment, PostriderProperties.class); // refuses unreadable values before anything is started
        FrontFilter.refuseUnlessOrigins(settings.http().origins());
        Keyring.refuseWithoutKeys(settings.auth(), settings.http().bind());
        boolean works = settings.allRoles().contains(Role.WORKER);
        if (works) {
            settings.relays().forEach(ConfiguredRelay::refuseUnknownType);
        }
        StartRefusal.refuseTakenPort(settings.http());
        refuseSilentGateway(settings);
        InsecureSettings.report(settings);
        Map<String, Object> derived = new LinkedHashMap<>();
        derived.put("server.port", settings.http().port());
        derived.put("server.address", settings.http().bind());
        derived.put("server.shutdown", "graceful");
        derived.put(ConnectionLimit.REQUEST_HEAD, ConnectionLimit.DEFAULT_REQUEST_HEAD.toKilobytes() + "KB");
        derived.put("server.tomcat.connection-timeout", "10s"); // for clients that connect and send nothing
        derived.put("server.tomcat.threads.max", WORKERS);
        derived.put("server.tomcat.max-swallow-size", "0B");
        long heap = Runtime.getRuntime().maxMemory();
        ConnectionLimit.Heads heads = heads(environment);
        derived.put(ConnectionLimit.KEY, ConnectionLimit.of(settings.gateway().connections(), heap, heads));
        derived.put("server.servlet.session.tracking-modes", "cookie");
        derived.put("server.servlet.register-default-servlet", true);
        derived.put("server.error.include-stacktrace", "never");
        derived.put("spring.lifecycle.timeout-per-shutdown-phase", "10s");
        derived.put("postrider.log-rate", LOG_RATE);
        derived.put("postrider.listen", works);
        derived.put("postrider.work", works);
        environment.getPropertySources().addLast(new MapPropertySource("derived", derived));
        ConnectionLimit.report(environment, settings.gateway().connections(), heap);
    }

    /** A gateway without topics is refused if its role was named, and only logged if all roles are active by default. */
    private static void refuseSilentGateway(ServerSettings settings) {
        if (!settings.allRoles().contains(Role.GATEWAY)
                || !settings.gateway().topics().isEmpty()) {
            return;
        }
        if (settings.roles() != null && !settings.roles().isEmpty()) {
            throw PostriderException.refused(
                    "the role gateway needs postrider.gateway.topics (--topics): it streams only these topics");
        }
        log.info("gateway_off no topics are named in postrider.gateway.topics (--topics)");
    }

    private static ConnectionLimit.Heads heads(ConfigurableEnvironment environment) {
        try {
            return ConnectionLimit.Heads.of(environment);
        } catch (BindException e) {
            throw StartRefusal.unreadable(e);
        }
    }

    private static <T> T bound(ConfigurableEnvironment environment, Class<T> type) {
        try {
            return Binder.get(environment).bindOrCreate("postrider", type);
        } catch (BindException e) {
            throw StartRefusal.unreadable(e);
        }
    }

    /** The port that the server listens on. */
    public int port() {
        return context instanceof ServletWebServerApplicationContext web && web.getWebServer() != null
                ? web.getWebServer().getPort()
                : -1;
    }

    /** A bean of the server. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }
}
