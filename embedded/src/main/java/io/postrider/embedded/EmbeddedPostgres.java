package io.postrider.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server that runs as long as this object (or its JVM) does. Unlike most embedded servers it is durable: a commit is
 * on disk when it returns, so the results of crash tests and benchmarks are valid elsewhere.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.start(EmbeddedPostgresOptions.defaults())) {
 *     DataSource dataSource = postgres.dataSource("postgres");
 * }
 * }</pre>
 *
 * <p>It listens on 127.0.0.1 only and requires a password that is generated at run time. If the JVM is killed, the server stops
 * by itself. Threads may share it.
 */
public final class EmbeddedPostgres implements AutoCloseable {

    static final String USER = "postgres";

    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final Duration PORT_RETRY = Duration.ofSeconds(5);
    private static final String HOST = "127.0.0.1";

    private final EmbeddedPostgresOptions options;
    private final Account account;
    private final Binaries binaries;
    private final DataDirectory data;
    private int port;
    private @Nullable Postmaster postmaster;
    private boolean started;
    private boolean closed;

    private EmbeddedPostgres(EmbeddedPostgresOptions options, Account account, Binaries binaries, DataDirectory data) {
        this.options = options;
        this.account = account;
        this.binaries = binaries;
        this.data = data;
        this.port = options.port();
    }

    /** Creates or reuses the data directory and starts the server; returns when it accepts connections. */
    public static EmbeddedPostgres start(EmbeddedPostgresOptions options) {
        return start(options, Account.current());
    }

    static EmbeddedPostgres start(EmbeddedPostgresOptions options, Account account) {
        return start(options, account, Binaries.find(options, account));
    }

    static EmbeddedPostgres start(EmbeddedPostgresOptions options, Account account, Binaries binaries) {
        DataDirectory data = null;
        try {
            data = DataDirectory.open(options, account);
            data.prepare(binaries, account);
            EmbeddedPostgres server = new EmbeddedPostgres(options, account, binaries, data);
            server.start();
            return server;
        } catch (RuntimeException e) {
            if (data != null) {
                data.close();
            }
            binaries.close();
            throw e;
        }
    }

    /** Starts it again after {@link #stop} or {@link #kill}, on the same port; does nothing if it runs. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("the embedded PostgreSQL is closed");
        }
        if (isRunning()) {
            return;
        }
        boolean choose = port == 0;
        boolean hadIt = started; // a program that took our port meanwhile may release it again
        long giveUp = System.nanoTime() + PORT_RETRY.toNanos();
        while (true) {
            int candidate = choose ? freePort() : port;
            data.writeSettings(settings(candidate), account);
            try {
                postmaster = Postmaster.start(binaries, data, account, options.startTimeout());
                port = candidate;
                started = true;
                log.debug("embedded_postgres_started version={} port={} pid={}", version(), port, postmaster.pid());
                return;
            } catch (Postmaster.PortTakenException e) {
                if ((!choose && !hadIt) || System.nanoTime() - giveUp >= 0) {
                    throw new EmbeddedPostgresException("port " + candidate + " is taken by another program", e);
                }
                LockSupport.parkNanos(Duration.ofMillis(choose ? 1 : 100).toNanos());
            }
        }
    }

    /** A clean shutdown that ends sessions. The data stays until {@link #close}. Does nothing if the server does not run. */
    public synchronized void stop() {
        if (postmaster != null) {
            postmaster.stop();
            postmaster = null;
        }
    }

    /** A clean stop and a start on the same port. */
    public synchronized void restart() {
        stop();
        start();
    }

    /**
     * Sends SIGKILL to the server and all its processes, like a power failure; returns when all of them have ended. The next
     * {@link #start} runs crash recovery.
     */
    public synchronized void kill() {
        if (postmaster != null) {
            Postmaster victim = postmaster;
            postmaster = null;
            victim.kill();
        }
    }

    /** Stops the server, and deletes the data if it is temporary. */
    @Override
    public synchronized void close() {
        if (!closed) {
            stop();
            data.close();
            binaries.close();
            closed = true;
        }
    }

    public synchronized boolean isRunning() {
        return postmaster != null && postmaster.running();
    }

    /** The process id of the postmaster. */
    public synchronized long pid() {
        if (postmaster == null) {
            throw new IllegalStateException("the embedded PostgreSQL is not running");
        }
        return postmaster.pid();
    }

    /** The port on 127.0.0.1, which stays the same for the lifetime of this object. */
    public synchronized int port() {
        return port;
    }

    /** A superuser. */
    public String user() {
        return USER;
    }

    public String password() {
        return data.password();
    }

    /** Such as {@code 18.6}. */
    public String version() {
        return binaries.version();
    }

    /** Contains user and password: use it in a program's configuration, not in a log. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + HOST + ":" + port() + "/" + urlPart(database) + "?user=" + USER + "&password="
                + urlPart(password());
    }

    /** Opens a new connection for every request; nothing is pooled. */
    public DataSource dataSource(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {HOST});
        source.setPortNumbers(new int[] {port()});
        source.setDatabaseName(database);
        source.setUser(USER);
        source.setPassword(password());
        return source;
    }

    public void createDatabase(String name) {
        execute("create database " + identifier(name));
    }

    /** A copy of another database, which must have no open sessions. Takes tens of milliseconds for a small one. */
    public void createDatabase(String name, String template) {
        execute("create database " + identifier(name) + " template " + identifier(template));
    }

    /** Also ends its sessions. Does nothing if the database does not exist. */
    public void dropDatabase(String name) {
        execute("drop database if exists " + identifier(name) + " with (force)");
    }

    /** Drops a role if it exists. Fails while the role has privileges in a database. */
    public void dropRole(String name) {
        execute("drop role if exists " + identifier(name));
    }

    private Map<String, String> settings(int listenPort) {
        Map<String, String> all = new LinkedHashMap<>();
        // PostgreSQL's defaults, set explicitly because durability is the point of this class.
        all.put("fsync", "on");
        all.put("synchronous_commit", "on");
        all.put("full_page_writes", "on");
        all.putAll(options.settings());
        all.put("listen_addresses", HOST);
        all.put("port", Integer.toString(listenPort));
        all.put("unix_socket_directories", ""); // one way to connect, and no socket path that is too long
        return all;
    }

    /**
     * Below the range of ephemeral ports (32768 and up on Linux), so that no outgoing connection can occupy the port while the
     * server is down between a kill and a start.
     */
    private static int freePort() {
        for (int i = 0; i < 100; i++) {
            int candidate = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket probe = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // taken: try the next one
            }
        }
        throw new EmbeddedPostgresException("no free port between 20000 and 32000");
    }

    private void execute(String sql) {
        try (Connection connection = dataSource(USER).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new EmbeddedPostgresException(sql + ": " + e.getMessage(), e);
        }
    }

    private static String identifier(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0 || name.getBytes(StandardCharsets.UTF_8).length > 63) {
            throw new IllegalArgumentException("database name must be 1..63 bytes, was " + name);
        }
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String urlPart(String text) {
        return java.net.URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
