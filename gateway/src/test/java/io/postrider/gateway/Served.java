package io.postrider.gateway;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.gateway.jakarta.ClientServlet;
import io.postrider.gateway.jakarta.SocketServlet;
import io.postrider.gateway.jakarta.StreamServlet;
import io.postrider.testkit.Await;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.Valve;
import org.apache.catalina.Wrapper;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;

/** A gateway on a real Tomcat, fed by a real log. */
final class Served implements AutoCloseable {
    private static final Logger TOMCAT = Logger.getLogger("org.apache");

    final Postrider postrider;
    final DataSource dataSource;
    final String topic;
    LogHistory history;
    final TokenMint mint;
    final Hub hub;
    final Gateway gateway;
    private final Tomcat tomcat;
    private final List<AutoCloseable> more = new ArrayList<>();
    int port;

    Served(Postrider postrider, DataSource dataSource, GatewayOptions options) throws Exception {
        this(postrider, dataSource, options, TokenMint.random("https://issuer.test", "postrider"), 0);
    }

    Served(Postrider postrider, DataSource dataSource, GatewayOptions options, TokenMint mint, int port)
            throws Exception {
        this(postrider, dataSource, options, new LogHistory(postrider.log()), mint, port);
    }

    /** With a read model of the caller's. */
    Served(Postrider postrider, DataSource dataSource, GatewayOptions options, History history) throws Exception {
        this(postrider, dataSource, options, history, TokenMint.random("https://issuer.test", "postrider"), 0);
    }

    /** With a feed of the caller's. */
    Served(Postrider postrider, DataSource dataSource, GatewayOptions options, Feed feed, TokenMint mint)
            throws Exception {
        this(postrider, dataSource, mint, 0, Hub.open(feed, new LogHistory(postrider.log()), options), options);
    }

    private Served(
            Postrider postrider,
            DataSource dataSource,
            GatewayOptions options,
            History history,
            TokenMint mint,
            int port)
            throws Exception {
        this(postrider, dataSource, mint, port, Hub.open(new LogFeed(postrider.log()), history, options), options);
        this.history = history instanceof LogHistory own ? own : this.history;
    }

    private Served(
            Postrider postrider, DataSource dataSource, TokenMint mint, int port, Hub hub, GatewayOptions options)
            throws Exception {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.topic = options.topics().iterator().next();
        this.history = new LogHistory(postrider.log());
        this.mint = mint;
        this.hub = hub;
        this.gateway = Gateway.of(mint.tokens(), hub);
        this.tomcat = tomcat(port, new StreamServlet(gateway), new SocketServlet(gateway), new ClientServlet());
        this.port = tomcat.getConnector().getLocalPort();
        Await.until("the hub is ready", Duration.ofSeconds(30), hub::isReady);
    }

    private static Tomcat tomcat(int port, HttpServlet stream, HttpServlet socket, HttpServlet client)
            throws Exception {
        TOMCAT.setLevel(Level.WARNING);
        Path base = Files.createTempDirectory(
                Files.createDirectories(Path.of("target").toAbsolutePath()), "tomcat");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(port);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("maxConnections", "20000");
        tomcat.getConnector().setProperty("acceptCount", "2000");
        tomcat.getConnector().setProperty("socket.txBufSize", "65536"); // else the kernel keeps up to 4 MiB for each
        Context context = tomcat.addContext("", base.toString());
        ((StandardContext) context).setClearReferencesThreadLocals(false);
        ((StandardContext) context).setClearReferencesRmiTargets(false);
        context.addServletContainerInitializer(new WsSci(), null);
        add(context, "stream", "/v1/stream", stream);
        add(context, "socket", "/v1/socket", socket);
        add(context, "client", "/postrider.js", client);
        add(context, "page", "/page.html", new PageServlet());
        tomcat.start();
        return tomcat;
    }

    private static void add(Context context, String name, String path, HttpServlet servlet) {
        Wrapper wrapper = Tomcat.addServlet(context, name, servlet);
        wrapper.setAsyncSupported(true);
        context.addServletMappingDecoded(path, name);
    }

    /** An empty page to run the client in. */
    private static final class PageServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(
                jakarta.servlet.http.HttpServletRequest request, jakarta.servlet.http.HttpServletResponse response)
                throws java.io.IOException {
            response.setContentType("text/html");
            response.getWriter().write("<!doctype html><title>page</title><body></body>");
        }
    }

    /** Puts a valve in front of the gateway. */
    void add(Valve valve) {
        tomcat.getEngine().getPipeline().addValve(valve);
    }

    void remove(Valve valve) {
        tomcat.getEngine().getPipeline().removeValve(valve);
    }

    String url(String path) {
        return "http://127.0.0.1:" + port + path;
    }

    /** Emits, and gives the position of the last. */
    void emit(String project, String user, String payload) throws Exception {
        emitAll(List.of(event(project, user, payload)));
    }

    Event event(String project, String user, String payload) {
        return Event.of(topic, "said", payload).withProject(project).withUser(user);
    }

    void emitAll(List<Event> events) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            postrider.emitAll(connection, events);
            connection.commit();
        }
    }

    /** Emits n events to a project, numbered from 1 on, and waits until the hub has them. */
    void emitNumbered(String project, String user, int from, int to) throws Exception {
        List<Event> events = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            events.add(event(project, user, "{\"n\":" + i + "}"));
        }
        emitAll(events);
        awaitHub();
    }

    void awaitHub() {
        Await.until(
                "the hub has reached the head",
                Duration.ofSeconds(30),
                () -> hub.reached(topic) == postrider.log().head(topic)
                        && postrider.log().head(topic) > 0
                        && unplaced() == 0);
    }

    private long unplaced() throws Exception {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select count(*) from postrider.event e where not exists (select 1 from postrider.log l where l.id = e.id)")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    String token(String subject, String project, Identity.Reach reach) {
        return mint.issue(subject, project, reach, Duration.ofMinutes(10));
    }

    SseClient sse(String token, String query) throws Exception {
        return keep(SseClient.open(port, "/v1/stream?topic=" + topic + query, token));
    }

    SocketClient socket() throws Exception {
        return keep(SocketClient.open("ws://127.0.0.1:" + port + "/v1/socket", UnaryOperator.identity()));
    }

    SocketClient socket(String token, Long position, String... rooms) throws Exception {
        SocketClient client = socket();
        client.hello(token, topic, position, rooms);
        return client;
    }

    <T extends AutoCloseable> T keep(T closeable) {
        more.add(closeable);
        return closeable;
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable closeable : more) {
            closeable.close();
        }
        gateway.close();
        tomcat.stop();
        tomcat.destroy();
        deleteAll(tomcat.getServer().getCatalinaBase().toPath());
    }

    private static void deleteAll(Path base) throws IOException {
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
