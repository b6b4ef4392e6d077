package io.postrider.server;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.Inbound;
import io.postrider.gateway.Revocations;
import io.postrider.gateway.jakarta.AnswerWriter;
import io.postrider.gateway.jakarta.ClientServlet;
import io.postrider.server.api.Api;
import io.postrider.server.api.ApiRoutes;
import io.postrider.server.api.BodyMemory;
import io.postrider.server.api.Changing;
import io.postrider.server.api.MemoryShares;
import io.postrider.server.api.Readers;
import io.postrider.server.api.Reading;
import io.postrider.server.api.UnreadAnswers;
import io.postrider.server.api.WriteRates;
import io.postrider.server.api.Writers;
import io.postrider.server.api.Writing;
import io.postrider.server.http.AnswerValve;
import io.postrider.server.http.ApiServlet;
import io.postrider.server.http.FrontFilter;
import io.postrider.server.http.HealthServlet;
import io.postrider.server.http.LimitedProtocol;
import io.postrider.server.http.LocalHost;
import io.postrider.server.http.MetricsServlet;
import io.postrider.server.http.ProblemValve;
import io.postrider.server.http.TokenFilter;
import io.postrider.server.http.UnreadBodyValve;
import io.postrider.server.relay.ConfiguredRelay;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.Role;
import io.postrider.server.settings.ServerSettings;
import io.postrider.server.settings.ServerSettings.Metrics;
import io.postrider.spring.DatabaseGauges;
import io.postrider.spring.KnownKeys;
import io.postrider.spring.OptionsCustomizer;
import io.postrider.spring.PostriderAutoConfiguration;
import io.postrider.spring.PostriderMetricsAutoConfiguration;
import io.postrider.spring.PostriderProperties;
import io.postrider.spring.Readiness;
import io.postrider.support.DatabaseUrl;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.catalina.core.StandardHost;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.jvm.JvmMetricsAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** The beans of every role. Imports are explicit: there is no component scan, so only what is needed is started. */
@Configuration(proxyBeanMethods = false)
@Import({WorkerConfiguration.class, GatewayConfiguration.class})
@EnableConfigurationProperties({ServerSettings.class, PostriderProperties.class})
@ImportAutoConfiguration({
    ConfigurationPropertiesAutoConfiguration.class,
    LifecycleAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class,
    MetricsAutoConfiguration.class,
    CompositeMeterRegistryAutoConfiguration.class,
    PrometheusMetricsExportAutoConfiguration.class,
    JvmMetricsAutoConfiguration.class,
    PostriderMetricsAutoConfiguration.class,
    PostriderAutoConfiguration.class
})
class ServerConfiguration {
    /** Room for everything except the payload: names, ids, headers of 16 KiB. */
    private static final int ENVELOPE = 64 * 1024;

    /** Worker threads that the API leaves to health checks, metrics and other requests outside the API. */
    private static final int FOR_PROBES = 40;

    @Bean
    KnownKeys serverKeys() {
        return KnownKeys.of(ServerSettings.class);
    }

    @Bean(destroyMethod = "close")
    DatabaseAccess databaseAccess(ServerSettings settings, Environment environment, ObjectProvider<KnownKeys> keys) {
        KnownKeys.refuseOthers(keys.stream().toList(), environment); // before a database is started in vain
        return DatabaseAccess.of(settings, environment);
    }

    @Bean(destroyMethod = "close")
    HikariDataSource dataSource(DatabaseAccess access, ServerSettings settings) {
        HikariDataSource pool = new HikariDataSource();
        pool.setPoolName("postrider");
        pool.setDataSource(access.dataSource());
        pool.setMaximumPoolSize(settings.poolSize());
        pool.setMinimumIdle(2);
        pool.setConnectionTimeout(5_000); // a request that waits longer gets 503 and can retry
        return pool;
    }

    @Bean
    OptionsCustomizer directConnection(DatabaseAccess access, PostriderProperties properties) {
        @Nullable String direct = properties.directUrl();
        return options -> options.withDirect(
                direct == null
                        ? access.dataSource()
                        : DatabaseUrl.parse(direct).dataSource("postrider-wire", Map.of()));
    }

    @Bean
    Keyring keyring(ServerSettings settings) {
        return Keyring.of(settings.auth(), settings.http().bind());
    }

    @Bean(destroyMethod = "close")
    RevokedTokens revocations(Postrider postrider, DatabaseAccess access) {
        return new RevokedTokens(postrider, access.dataSource());
    }

    @Bean(destroyMethod = "close")
    ReadingPool readingPool(DatabaseAccess access, ServerSettings settings, Options options) {
        return new ReadingPool(access.dataSource(), settings.api(), options);
    }

    @Bean(destroyMethod = "close")
    WritingPool writingPool(DatabaseAccess access, ServerSettings settings, Options options) {
        return new WritingPool(access.dataSource(), settings.api(), options);
    }

    @Bean
    Writing writing(Postrider postrider, WritingPool pool, Options options, ServerSettings settings) {
        ServerSettings.Api api = settings.api();
        return new Writing(
                postrider,
                new Changing(pool.postrider(), new Writers(api.writers())),
                options.payloadCap(),
                new Writing.Permitted(
                        api.userTopics(),
                        api.userQueues(),
                        api.projectTopics(),
                        api.projectQueues(),
                        settings.namedTopics()),
                new WriteRates(
                        new WriteRates.Limit(api.projectRate(), api.projectBurst()),
                        new WriteRates.Limit(api.userRate(), api.userBurst()),
                        System::nanoTime));
    }

    @Bean
    Api api(
            Writing writing,
            ReadingPool pool,
            ServerSettings settings,
            RevokedTokens revocations,
            MeterRegistry registry) {
        Reading reading =
                new Reading(pool.postrider(), new Readers(settings.api().readers()));
        UnreadAnswers unread = new UnreadAnswers(Runtime.getRuntime().maxMemory() / 8);
        Gauge.builder("postrider_http_unread_bytes", unread, UnreadAnswers::bytes)
                .register(registry);
        BodyMemory bodies = new BodyMemory(Runtime.getRuntime().maxMemory() / 4);
        Gauge.builder("postrider_http_body_memory_bytes", bodies, BodyMemory::bytes)
                .register(registry);
        return new Api(
                settings.allRoles().contains(Role.API)
                        ? ApiRoutes.of(
                                writing,
                                reading,
                                bodies,
                                unread,
                                revocations::add,
                                name -> ConfiguredRelay.comparedTable(
                                        name, settings.relays().getOrDefault(name, Map.of())))
                        : List.of());
    }

    // ── HTTP ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Bean
    AnswerWriter answerWriter(ServerSettings settings) {
        return new AnswerWriter(settings.http().answerTimeout());
    }

    @Bean
    FilterRegistrationBean<FrontFilter> frontFilter(ServerSettings settings) {
        return filter(new FrontFilter(settings.http().origins()), 1, "/*");
    }

    @Bean
    FilterRegistrationBean<TokenFilter> tokenFilter(Keyring keyring, Revocations revocations) {
        return filter(new TokenFilter(keyring.tokens(), revocations), 2, "/v1/*");
    }

    @Bean
    ServletRegistrationBean<ApiServlet> apiServlet(
            Api api,
            Options options,
            ServerSettings settings,
            AnswerWriter answers,
            Environment environment,
            MeterRegistry registry) {
        MemoryShares reading = new MemoryShares(Runtime.getRuntime().maxMemory() / 8);
        Gauge.builder("postrider_http_reading_bytes", reading, MemoryShares::bytes)
                .register(registry);
        int workers = environment.getRequiredProperty("server.tomcat.threads.max", Integer.class);
        return servlet(
                new ApiServlet(
                        api,
                        options.payloadCap() + ENVELOPE,
                        settings.http().bodyTimeout(),
                        reading,
                        answers,
                        Math.max(1, workers - FOR_PROBES)),
                "api",
                "/v1/*");
    }

    @Bean
    ServletRegistrationBean<ClientServlet> clientServlet(AnswerWriter answers) {
        return servlet(new ClientServlet(answers), "client", "/postrider.js");
    }

    @Bean
    ServletRegistrationBean<HealthServlet> healthServlet(Readiness readiness, ObjectProvider<Gateway> gateway) {
        return servlet(new HealthServlet(() -> ask(readiness, gateway.getIfAvailable())), "health", "/health/*");
    }

    private static Readiness.Answer ask(Readiness readiness, @Nullable Gateway gateway) {
        Readiness.Answer answer = readiness.ask();
        return answer.ready() && gateway != null && !gateway.hub().isReady()
                ? new Readiness.Answer(false, "the gateway has not started all of its topics")
                : answer;
    }

    @Bean
    ServletRegistrationBean<MetricsServlet> metricsServlet(
            PrometheusMeterRegistry registry,
            DatabaseGauges gauges,
            ServerSettings settings,
            Listening listening,
            FilterRegistrationBean<TokenFilter> tokens,
            AnswerWriter answers) {
        Metrics metrics = settings.http().metrics();
        Predicate<HttpServletRequest> isOpen = metrics == null
                ? request -> listening.isLocal() && LocalHost.isNamedBy(request)
                : request -> metrics == Metrics.OPEN;
        return servlet(
                new MetricsServlet(registry, gauges, Objects.requireNonNull(tokens.getFilter()), isOpen, answers),
                "metrics",
                "/metrics");
    }

    @Bean
    Listening listening(Keyring keyring) {
        return new Listening(keyring);
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsInsteadOfPages() {
        return factory -> factory.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemValve.class.getName());
            }
        });
    }

    /** Serves files from jars only: without its own document root, Tomcat would serve ./public of the working directory. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> noFilesOfTheWorkingDirectory() {
        return factory -> factory.setDocumentRoot(EmptyDirectory.make());
    }

    /** The answer is sent first, then the rest of the body is discarded. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> noWorkerWaitsForAClient(AnswerWriter answers) {
        return factory -> factory.addEngineValves(new UnreadBodyValve(), new AnswerValve(answers));
    }

    /** {@code 100 Continue} is sent when the body is read, after the token was checked. Tomcat sends it with a blocking write. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> continueAfterTheToken() {
        return factory ->
                factory.addConnectorCustomizers(connector -> connector.setProperty("continueResponseTiming", "onRead"));
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> fewParameters() {
        return factory -> factory.addConnectorCustomizers(
                connector -> connector.setMaxParameterCount(ApiServlet.MOST_PARAMETERS));
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> limitedConnections(
            ServerSettings settings, ListableBeanFactory beans) {
        ServerSettings.Http http = settings.http();
        boolean messages = beans.getBeanNamesForType(Inbound.class, false, false).length > 0;
        return factory -> {
            factory.setProtocol(LimitedProtocol.class.getName());
            factory.addConnectorCustomizers(connector -> {
                if (connector.getProtocolHandler() instanceof LimitedProtocol protocol) {
                    protocol.limit(http.headTimeout(), http.connectionsPerAddress());
                    if (messages) {
                        protocol.expectMessages();
                    }
                }
            });
        };
    }

    /** By default the kernel buffers up to 4 MiB for a client that does not read, and none of our limits counts that memory. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> smallSendBuffers() {
        return factory -> factory.addConnectorCustomizers(
                connector -> connector.setProperty("socket.txBufSize", Integer.toString(64 * 1024)));
    }

    private static <T extends Filter> FilterRegistrationBean<T> filter(T filter, int order, String path) {
        FilterRegistrationBean<T> bean = new FilterRegistrationBean<>(filter);
        bean.setOrder(order);
        bean.addUrlPatterns(path);
        return bean;
    }

    private static <T extends Servlet> ServletRegistrationBean<T> servlet(T servlet, String name, String path) {
        ServletRegistrationBean<T> bean = new ServletRegistrationBean<>(servlet, path);
        bean.setName(name);
        bean.setLoadOnStartup(1);
        return bean;
    }
}
