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
import io.postrider.gateway.LogFeed;
import io.postrider.gateway.TokenMint;
import io.postrider.gateway.jakarta.ClientServlet;
import io.postrider.gateway.jakarta.StreamServlet;
import io.postrider.testkit.TestDatabase;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

/** The whole of it, as a demo runs it: this process serves, a child process works. */
final class Theatre implements AutoCloseable, Trouble {
    final HikariDataSource pool;
    final Postrider postrider;
    final LiveChat chat;
    private final @Nullable Supervisor supervisor;
    private final Tomcat tomcat = new Tomcat();
    final Passes passes;
    private final Gateway gateway;

    private Theatre(TestDatabase database, int port, boolean works) throws IOException, LifecycleException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
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
                new LogFeed(postrider.log()),
                new EventLogHistory(postrider.eventLog()),
                GatewayOptions.of(LiveChat.TOPIC).withSameOrigin(true));
        gateway = Gateway.of(mint.tokens(), hub);
        supervisor = works ? worker(database) : null;
        serve(port);
    }

    /** With a worker process. */
    static Theatre open(TestDatabase database, int port) throws IOException, LifecycleException {
        return new Theatre(database, port, true);
    }

    /** Nobody saves what is queued. */
    static Theatre withoutWorker(TestDatabase database) throws IOException, LifecycleException {
        return new Theatre(database, 0, false);
    }

    static Supervisor worker(TestDatabase database) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerMain.class.getName());
        return Supervisor.of(command, Map.of("LIVECHAT_JDBC_URL", database.jdbcUrl()));
    }

    private void serve(int port) throws IOException, LifecycleException {
        tomcat.setBaseDir(Files.createTempDirectory("livechat-tomcat").toString());
        tomcat.setPort(port);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("socket.txBufSize", Integer.toString(64 * 1024)); // as the server has it
        Context context = tomcat.addContext("", null);
        mount(context, new StreamServlet(gateway), List.of("/v1/stream"));
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
    public void killWorker() {
        requireNonNull(supervisor).kill();
    }

    @Override
    public WorkerState worker() {
        return requireNonNull(supervisor).state();
    }

    @Override
    public int cutStreams(Set<String> users) {
        return gateway.hub().cut(users);
    }

    @Override
    public void close() throws LifecycleException {
        if (supervisor != null) {
            supervisor.close();
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
