package io.postrider.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Queues;
import io.postrider.admin.VerifyResult;
import io.postrider.cli.terminal.Terminal;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresOptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** One run: starts everything, shows it, stops it in order, counts and verifies. */
public final class Demo {
    private static final String DATABASE = "demo";
    private static final Duration FRAME = Duration.ofMillis(250);
    private static final Duration LINE = Duration.ofSeconds(1);
    private static final Duration LAST_RETRIES = Duration.ofSeconds(20);

    /** Producers, three listeners, the wire, retention, the dashboard; concurrent mails; claims, packers and settlements. */
    private static final int CONNECTIONS = 20 + DemoWorkers.PACKERS;

    private static final BrowserDemo.Play NO_PLAY = new BrowserDemo.Play() {
        @Override
        public String url() {
            return "";
        }

        @Override
        public void close() {}
    };

    private final DemoOptions options;
    private final Terminal terminal;
    private final Consumer<VerifyResult> print;
    private final DemoCounters counters = new DemoCounters();
    private final ReadingHistory history = new ReadingHistory();
    private long began;

    /** @param print prints a verification result */
    public Demo(DemoOptions options, Terminal terminal, Consumer<VerifyResult> print) {
        this.options = options;
        this.terminal = terminal;
        this.print = print;
    }

    /** Returns the exit code: 0 if nothing was lost, duplicated or out of order. */
    public int run() throws InterruptedException {
        try (ShutdownRequest stop = new ShutdownRequest()) {
            terminal.say("starting PostgreSQL …");
            EmbeddedPostgresOptions where = EmbeddedPostgresOptions.defaults();
            Path data = options.data();
            try (EmbeddedPostgres server =
                    EmbeddedPostgres.start(data == null ? where : where.withDataDirectory(data))) {
                createDatabase(server);
                try (HikariDataSource pool = pool(server)) {
                    int code = run(server, pool, stop);
                    stop.done(code);
                    return code;
                }
            } catch (SQLException e) {
                throw new PostriderException(PostriderException.Kind.FAILED, "demo failed: " + e.getMessage(), e);
            } finally {
                terminal.out().flush();
            }
        }
    }

    private int run(EmbeddedPostgres server, DataSource pool, ShutdownRequest stop)
            throws SQLException, InterruptedException {
        Shop shop = new Shop(pool, "run-" + UUID.randomUUID().toString().substring(0, 8));
        shop.open();
        try (Postrider node =
                Postrider.on(pool, Options.defaults().withWatch(counters).withSegmentSize(1_000_000))) {
            node.migrate();
            new DemoListeners(counters).listeners().forEach(node::add);
            new DemoWorkers(counters).workers().forEach(node::add);
            node.queues().limit(DemoWorkers.PARCELS, Queues.Limits.none().withPerKey(1));
            node.start();
            try (BrowserDemo.Play play = play(server)) {
                began = System.nanoTime();
                show(
                        node,
                        shop,
                        new Producers(pool, node, shop, counters, options.rate()),
                        dashboard(server, play.url()),
                        stop);
            }
        }
        return reckon(pool, shop) ? 0 : 1;
    }

    /** The chat in the browser, if it is on the class path: the launch script adds it. */
    private BrowserDemo.Play play(EmbeddedPostgres server) {
        return ServiceLoader.load(BrowserDemo.class)
                .findFirst()
                .map(stage -> {
                    terminal.say("starting the live chat …");
                    return stage.open(server.jdbcUrl(DATABASE), options.port(), options.live());
                })
                .orElse(NO_PLAY);
    }

    // ── while it runs ───────────────────────────────────────────────────────────────────────────────────────────────

    private void show(Postrider node, Shop shop, Producers producers, Dashboard dashboard, ShutdownRequest stop)
            throws SQLException, InterruptedException {
        if (!options.live()) {
            if (!dashboard.chat().isEmpty()) {
                terminal.say("live chat, with buttons that cause failures: " + dashboard.chat());
            }
            terminal.say("orders are being placed; " + ending() + ". In another terminal:");
            dashboard.instructions().forEach(terminal::say);
        }
        try (View view = options.live() ? new LiveView(dashboard, terminal) : new PlainView(dashboard, terminal)) {
            try (producers) {
                producers.start();
                String footer = ending() + ": everything shuts down cleanly, then all events are counted and verified";
                while (!isOver() && !stop.await(options.live() ? FRAME : LINE)) {
                    look(node, view, footer);
                }
            }
            drain(node, view, shop.orders());
        }
    }

    private void look(Postrider node, View view, String footer) {
        try {
            history.add(Reading.of(elapsed(), counters, node));
            view.show(history, footer);
        } catch (PostriderException e) {
            if (e.kind() != PostriderException.Kind.UNREACHABLE) {
                throw e;
            } // visible on the dashboard: its numbers stop moving
        }
    }

    /** Listeners and workers finish the remaining work, including retries, within a time limit. */
    private void drain(Postrider node, View view, long orders) throws InterruptedException {
        long end = System.nanoTime() + LAST_RETRIES.toNanos();
        while (System.nanoTime() - end < 0) {
            look(node, view, "stopping: producers have ended; listeners and workers process what remains");
            if (history.last().isFinished(orders)) {
                return;
            }
            Thread.sleep(FRAME.toMillis());
        }
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private boolean isOver() {
        Duration length = options.length();
        return length != null && elapsed().compareTo(length) >= 0;
    }

    private String ending() {
        Duration length = options.length();
        return length == null ? "Ctrl-C ends it" : "ends after " + length.toSeconds() + " s, or with Ctrl-C";
    }

    // ── afterwards ──────────────────────────────────────────────────────────────────────────────────────────────────

    private boolean reckon(DataSource pool, Shop shop) throws SQLException {
        Reading last = history.last();
        Shop.Books books = shop.books();
        Shop.Parcels parcels = shop.parcels();
        Summary summary = new Summary(terminal, counters);
        summary.totals(elapsed(), last);
        summary.books(books, last);
        summary.parcels(parcels);
        List<VerifyResult> proofs = Postrider.on(pool).verifier().verify(step -> {});
        terminal.out().println();
        proofs.forEach(print);
        Path data = options.data();
        if (data != null) {
            terminal.say("the database is kept in " + data);
        }
        return books.isRight() && parcels.effects().isRight() && proofs.stream().allMatch(VerifyResult::holds);
    }

    // ── the database ────────────────────────────────────────────────────────────────────────────────────────────────

    private static void createDatabase(EmbeddedPostgres server) throws SQLException {
        if (!"t"
                .equals(ask(
                        server.dataSource("postgres"),
                        "select exists (select from pg_database where datname = '" + DATABASE + "')"))) {
            server.createDatabase(DATABASE);
        }
    }

    private Dashboard dashboard(EmbeddedPostgres server, String chat) throws SQLException {
        Path cluster = Path.of(ask(server.dataSource(DATABASE), "show data_directory"));
        Path password = cluster.resolveSibling("password");
        String command = terminal.environment().getOrDefault("POSTRIDER_COMMAND", "./postrider");
        return new Dashboard(
                terminal.colours(),
                counters,
                chat,
                "PostgreSQL " + server.version() + ", durable",
                new Instructions(server.port(), server.user(), DATABASE, password, command));
    }

    private static String ask(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static HikariDataSource pool(EmbeddedPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.dataSource(DATABASE));
        config.setPoolName("demo");
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(5_000);
        return new HikariDataSource(config);
    }
}
