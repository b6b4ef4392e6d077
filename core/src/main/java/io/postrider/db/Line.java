package io.postrider.db;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A connection that is kept: it hears notifications and holds locks of its session. Used by one thread; never in a
 * transaction while it waits, or the notifications would stay in the server and its snapshot would hold back vacuum.
 */
public final class Line implements AutoCloseable {
    private static final Sql IDENTITY = Sql.call(
            "identity", "select pg_catalog.pg_backend_pid() as pid, pg_catalog.pg_is_in_recovery() as standby");

    private static final Sql SETTING = Sql.call("setting", "select pg_catalog.current_setting(:name) as setting");
    private static final Sql SET_BACK =
            Sql.call("set_back", "select pg_catalog.set_config(:name, :setting, false) as setting");

    /** The settings that {@link #listen} changes and {@link #close} restores: the connection may belong to a pool. */
    private static final List<String> CHANGED = List.of(
            "search_path",
            "jit",
            "default_transaction_isolation",
            "default_transaction_read_only",
            "statement_timeout",
            "lock_timeout",
            "idle_session_timeout");

    /** A read that takes longer than this is a dead link (the kernel's own patience is two hours). */
    private static final int DEAD_AFTER_MILLIS = 60_000;

    /**
     * How long the server works on for a client that may be gone. Far above {@link #DEAD_AFTER_MILLIS}: the pass that opens an era
     * or counts a huge transaction cannot be divided. If it takes longer than the client waits, it must still be able to
     * commit, or every node would begin it again for ever. A log of 600 million events takes minutes.
     */
    private static final String LONGEST_STATEMENT = "6h";

    private static final Duration LONGEST_WAIT = Duration.ofMillis(DEAD_AFTER_MILLIS / 2);

    private final Connection connection;
    private final Ear ear;
    private final Session session;
    private final int pid;
    private final boolean pooled;
    private final Map<String, String> found = new LinkedHashMap<>();

    private Line(Connection connection, Ear ear, Session session, int pid, boolean pooled) {
        this.connection = connection;
        this.ear = ear;
        this.session = session;
        this.pid = pid;
        this.pooled = pooled;
    }

    /** Opens one; refuses a standby, where a snapshot lists no running transactions and a pass would lose events. */
    public static Line open(DataSource dataSource, Database database) {
        try {
            Connection connection = dataSource.getConnection();
            try {
                connection.setAutoCommit(true);
                connection.setNetworkTimeout(Runnable::run, DEAD_AFTER_MILLIS);
                PGConnection postgres = connection.unwrap(PGConnection.class);
                Session session = database.onKept(connection);
                record Identity(int pid, boolean standby) {}
                Identity identity = session.one(
                                IDENTITY, Bind::nothing, row -> new Identity(row.int4("pid"), row.bool("standby")))
                        .orElseThrow();
                if (identity.standby()) {
                    throw new PostriderException(
                            Kind.CONFLICT, "this server is a standby; Postrider must be connected to the primary");
                }
                // A pooler invents the process id that it tells at log-in; the server itself knows its own.
                boolean pooled = postgres.getBackendPID() != identity.pid();
                return new Line(connection, new Ear(connection, postgres), session, identity.pid(), pooled);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw Session.failed("connect", e);
        }
    }

    /**
     * Takes charge of the session's settings, whatever the role's defaults are, and listens to the schema's channel. Not
     * behind a pooler: the session is somebody else's a moment later, settings and all.
     */
    public void listen(String channel) {
        if (pooled) {
            return;
        }
        for (String name : CHANGED) {
            session.one(SETTING, bind -> bind.text("name", name), row -> row.text("setting"))
                    .ifPresent(setting -> found.put(name, setting));
        }
        execute("set search_path = pg_catalog, pg_temp");
        execute("set jit = off");
        session.isPinned();
        execute("set session characteristics as transaction isolation level read committed, read write");
        execute("set statement_timeout = '" + LONGEST_STATEMENT + "'");
        execute("set lock_timeout = '2s'"); // what waits longer gives the guard of the locks a turn
        execute("set idle_session_timeout = 0");
        execute("listen " + channel);
    }

    /** What was notified since the last time; waits for something up to a time, and no longer than for the first. */
    public List<String> await(Duration most) {
        try {
            List<String> payloads = new ArrayList<>();
            for (PGNotification notification : ear.await(most.compareTo(LONGEST_WAIT) < 0 ? most : LONGEST_WAIT)) {
                if (notification.getPID() != pid) {
                    payloads.add(notification.getParameter());
                }
            }
            return payloads;
        } catch (SQLException e) {
            throw Session.failed("listen", e);
        }
    }

    public Session session() {
        return session;
    }

    /** The server's process that serves it. */
    public int pid() {
        return pid;
    }

    /** Whether something stands between us and the server that may hand our session to others: no locks, no listening. */
    public boolean isPooled() {
        return pooled;
    }

    private void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw Session.failed("line", e);
        }
    }

    /** Gives the connection back clean: it may belong to a pool. A broken one is only closed. */
    @Override
    public void close() {
        try (Connection closing = connection) {
            if (!closing.isClosed() && !pooled) {
                execute("select pg_catalog.pg_advisory_unlock_all()");
                execute("unlisten *");
                // not "reset all", which would also undo settings of the pool
                found.forEach((name, setting) -> session.one(
                        SET_BACK,
                        bind -> bind.text("name", name).text("setting", setting),
                        row -> row.text("setting")));
            }
            closing.setNetworkTimeout(Runnable::run, 0);
        } catch (SQLException | PostriderException e) {
            // broken, or never whole: the server lets go of its locks by itself
        }
    }
}
