package io.postrider.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.cli.Terminal;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.db.Session;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresOptions;
import io.postrider.verify.Proof;
import io.postrider.verify.Verifier;
import io.postrider.work.Queues;
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

/** One run: start everything, show it, stop it in order, count, prove. */
public final class Demo {
    private static final String DATABASE = "demo";
    private static final Duration FRAME = Duration.ofMillis(250);
    private static final Duration LINE = Duration.ofSeconds(1);
    private static final Duration LAST_RETRIES = Duration.ofSeconds(20);

    /** Producers, three listeners, the wire, retention, the board; what mail takes at once; and who claims, packs, settles. */
    private static final int CONNECTIONS = 20 + Depot.PACKERS;

    private static final Stage.Play NO_PLAY = new Stage.Play() {
        @Override
        public String url() {
            return "";
        }

        @Override
        public void close() {}
    };

    private final DemoOptions options;
    private final Terminal terminal;
    private final Consumer<Proof> print;
    private final Tally tally = new Tally();
    private final History history = new History();
    private long began;

    /** @param print shows a proof */
    public Demo(DemoOptions options, Terminal terminal, Consumer<Proof> print) {
        this.options = options;
        this.terminal = terminal;
        this.print = print;
    }

    /** The exit code: 0 if nothing was lost, repeated or out of place. */
    public int run() throws InterruptedException {
        try (Stop stop = new Stop()) {
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
                throw Session.failed("demo", e);
            } finally {
                terminal.out().flush();
            }
        }
    }

    private int run(EmbeddedPostgres server, DataSource pool, Stop stop) throws SQLException, InterruptedException {
        Shop shop = new Shop(pool, "run-" + UUID.randomUUID().toString().substring(0, 8));
        shop.open();
        try (Postrider node =
                Postrider.on(pool, Options.defaults().withWatch(tally).withSegmentSize(1_000_000))) {
            node.migrate();
            new Crew(tally).listeners().forEach(node::add);
            new Depot(tally).workers().forEach(node::add);
            node.queues().limit(Depot.PARCELS, Queues.Limits.none().withPerKey(1));
            node.start();
            try (Stage.Play play = play(server)) {
                began = System.nanoTime();
                show(
                        node,
                        shop,
                        new Producers(pool, node, shop, tally, options.rate()),
                        board(server, play.url()),
                        stop);
            }
        }
        return reckon(pool, shop) ? 0 : 1;
    }

    /** The chat in the browser, where it is on the class path: the script puts it there. */
    private Stage.Play play(EmbeddedPostgres server) {
        return ServiceLoader.load(Stage.class)
                .findFirst()
                .map(stage -> {
                    terminal.say("starting the live chat …");
                    return stage.open(server.jdbcUrl(DATABASE), options.port(), options.live());
                })
                .orElse(NO_PLAY);
    }

    // ── while it runs ───────────────────────────────────────────────────────────────────────────────────────────────

    private void show(Postrider node, Shop shop, Producers producers, Board board, Stop stop)
            throws SQLException, InterruptedException {
        if (!options.live()) {
            if (!board.chat().isEmpty()) {
                terminal.say("live chat, with buttons that make trouble: " + board.chat());
            }
            terminal.say("orders flow; " + ending() + ". In another terminal:");
            board.invitation().forEach(terminal::say);
        }
        try (View view = options.live() ? new LiveView(board, terminal) : new PlainView(board, terminal)) {
            try (producers) {
                producers.start();
                String footer = ending() + ": everything stops in order, and is counted and proved";
                while (!isOver() && !stop.await(options.live() ? FRAME : LINE)) {
                    look(node, view, footer);
                }
            }
            drain(node, view, shop.orders());
        }
    }

    private void look(Postrider node, View view, String footer) {
        try {
            history.add(Reading.of(elapsed(), tally, node));
            view.show(history, footer);
        } catch (PostriderException e) {
            if (e.kind() != PostriderException.Kind.UNREACHABLE) {
                throw e;
            } // shown by the numbers standing still
        }
    }

    /** Listeners and workers finish what there is; retries included, though not for ever. */
    private void drain(Postrider node, View view, long orders) throws InterruptedException {
        long end = System.nanoTime() + LAST_RETRIES.toNanos();
        while (System.nanoTime() - end < 0) {
            look(node, view, "stopping: producers have ended, listeners and workers finish what there is");
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
        Summary summary = new Summary(terminal, tally);
        summary.totals(elapsed(), last);
        summary.books(books, last);
        summary.parcels(parcels);
        List<Proof> proofs = new Verifier(new Database(pool, SchemaName.of("postrider"))).verify(step -> {});
        terminal.out().println();
        proofs.forEach(print);
        Path data = options.data();
        if (data != null) {
            terminal.say("the database stays in " + data);
        }
        return books.isRight() && parcels.effects().isRight() && proofs.stream().allMatch(Proof::holds);
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

    private Board board(EmbeddedPostgres server, String chat) throws SQLException {
        Path cluster = Path.of(ask(server.dataSource(DATABASE), "show data_directory"));
        Path password = cluster.resolveSibling("password");
        String command = terminal.environment().getOrDefault("POSTRIDER_COMMAND", "./postrider");
        return new Board(
                terminal.ink(),
                tally,
                chat,
                "PostgreSQL " + server.version() + ", durable",
                new Invitation(server.port(), server.user(), DATABASE, password, command));
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
