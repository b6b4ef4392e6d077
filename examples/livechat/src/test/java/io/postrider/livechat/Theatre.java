package io.postrider.livechat;

import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.gateway.EventLogHistory;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.Hub;
import io.postrider.gateway.TokenMint;
import io.postrider.gateway.jakarta.ClientServlet;
import io.postrider.gateway.jakarta.SocketServlet;
import io.postrider.gateway.jakarta.StreamServlet;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;
import org.jspecify.annotations.Nullable;

/** The whole of it, as a demo runs it: this process serves, two child processes work. */
final class Theatre implements AutoCloseable, Trouble {
    final HikariDataSource pool;
    final Postrider postrider;
    final LiveChat chat;
    private final @Nullable WorkerProcesses processes;
    private final Tomcat tomcat = new Tomcat();
    final Passes passes;
    private final Gateway gateway;

    private Theatre(TestDatabase database, int port, boolean works) throws IOException, LifecycleException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(named(database.jdbcUrl()));
        config.setMaximumPoolSize(30);
        config.setMinimumIdle(4);
        pool = new HikariDataSource(config);
        postrider = Postrider.on(pool, Options.defaults().withNode("api"));
        postrider.migrate();
        chat = LiveChat.on(postrider, pool).install();
        postrider.add(postrider.eventLog().listener(LiveChat.TOPIC));
        postrider.start();
        TokenMint mint = TokenMint.random("livechat-test", "livechat");
        passes = new MintedPasses(mint);
        Hub hub = Hub.open(
                chat.broadcast(),
                new EventLogHistory(postrider.eventLog()),
                GatewayOptions.of(LiveChat.TOPIC).withSameOrigin(true).withInbound(chat.inbound()));
        gateway = Gateway.of(mint.tokens(), hub);
        processes = works ? WorkerProcesses.of(2, command(), environment(database)) : null;
        serve(port);
    }

    /** With two worker processes. */
    static Theatre open(TestDatabase database, int port) throws IOException, LifecycleException {
        return new Theatre(database, port, true);
    }

    /** Nobody saves what is queued. */
    static Theatre withoutWorker(TestDatabase database) throws IOException, LifecycleException {
        return new Theatre(database, 0, false);
    }

    /** One worker process, and a new one whenever it ends. */
    static Supervisor worker(TestDatabase database) {
        return Supervisor.of(command(), environment(database));
    }

    private static Map<String, String> environment(TestDatabase database) {
        return Map.of("LIVECHAT_JDBC_URL", named(database.jdbcUrl()));
    }

    /** As the demo has it: the button that cuts connections finds those of the chat by this name. */
    static String named(String url) {
        return url + (url.contains("?") ? "&" : "?") + "ApplicationName=livechat";
    }

    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerMain.class.getName());
    }

    private void serve(int port) throws IOException, LifecycleException {
        tomcat.setBaseDir(Files.createTempDirectory("livechat-tomcat").toString());
        tomcat.setPort(port);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("socket.txBufSize", Integer.toString(64 * 1024)); // as the server has it
        Context context = tomcat.addContext("", null);
        context.addServletContainerInitializer(new WsSci(), null);
        mount(context, new StreamServlet(gateway), List.of("/v1/stream"));
        mount(context, new SocketServlet(gateway), List.of("/v1/socket"));
        mount(context, new ClientServlet(), List.of("/postrider.js"));
        chat.servlets(passes, this).forEach((servlet, patterns) -> mount(context, servlet, patterns));
        tomcat.start();
    }

    private static void mount(Context context, HttpServlet servlet, List<String> patterns) {
        String name = servlet.getClass().getSimpleName();
        Tomcat.addServlet(context, name, servlet).setAsyncSupported(true);
        patterns.forEach(pattern -> context.addServletMappingDecoded(pattern, name));
    }

    String url(String path) {
        return "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path;
    }

    @Override
    public long killWorker() {
        return requireNonNull(processes).killOne();
    }

    @Override
    public List<WorkerState> workers() {
        return requireNonNull(processes).states();
    }

    void awaitWorkers() {
        Await.until(
                "both workers are up",
                Duration.ofSeconds(120),
                () -> workers().stream().allMatch(WorkerState::up));
    }

    @Override
    public int cutStreams(Set<String> users) {
        return gateway.hub().cut(users);
    }

    @Override
    public void close() throws LifecycleException {
        if (processes != null) {
            processes.close();
        }
        gateway.close();
        tomcat.stop();
        tomcat.destroy();
        chat.close();
        postrider.close();
        pool.close();
    }

    /** To look at: {@code Theatre 8099}, until its input ends. */
    public static void main(String[] arguments) throws Exception {
        try (TestDatabase database = TestDatabase.create();
                Theatre theatre = open(database, Integer.parseInt(arguments[0]))) {
            System.out.println(theatre.url("/"));
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        }
    }
}
