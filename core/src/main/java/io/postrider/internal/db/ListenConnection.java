package io.postrider.internal.db;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * A connection that is kept open: it receives notifications and holds session-level locks. Used by one thread. It is never in a
 * transaction while it waits: the server would hold the notifications back, and the snapshot would hold back vacuum.
 */
public final class ListenConnection implements AutoCloseable {
    private static final Sql IDENTITY = Sql.call(
            "db/identity", "select pg_catalog.pg_backend_pid() as pid, pg_catalog.pg_is_in_recovery() as standby");

    private static final Sql SETTING = Sql.call("db/setting", "select pg_catalog.current_setting(:name) as setting");
    private static final Sql RESTORE =
            Sql.call("db/restore_setting", "select pg_catalog.set_config(:name, :setting, false) as setting");

    /** The settings that {@link #listen} changes and {@link #close} restores: the connection may belong to a pool. */
    private static final List<String> CHANGED = List.of(
            "search_path",
            "jit",
            "default_transaction_isolation",
            "default_transaction_read_only",
            "statement_timeout",
            "lock_timeout",
            "idle_session_timeout",
            "tcp_user_timeout",
            "tcp_keepalives_idle",
            "tcp_keepalives_interval",
            "tcp_keepalives_count");

    /** If a read takes longer than this, the connection is dead (the kernel would wait for two hours). */
    private static final int DEAD_AFTER_MILLIS = 60_000;

    /** The same for a statement that does nothing. Other nodes end a silent connection after this time, too. */
    private static final int PING_MILLIS = 10_000;

    /**
     * How long a statement may run for a client that may be gone. Far above {@link #DEAD_AFTER_MILLIS}: the pass that opens an
     * era or counts a huge transaction cannot be divided. If it takes longer than the client waits, it must still be able to
     * commit; otherwise every node would restart it forever. A log of 600 million events takes minutes.
     */
    private static final String LONGEST_STATEMENT = "6h";

    /** How long a statement waits for a lock. One that waits longer fails, so that the lock guard gets a turn. */
    public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(DEAD_AFTER_MILLIS / 2);

    private final Connection connection;
    private final NotificationWait notifications;
    private final Session session;
    private final int pid;
    private final boolean pooled;
    private final Map<String, String> settingsBefore = new LinkedHashMap<>();
    private ListenPause pause = new ListenPause();
    private String channel = "";
    private boolean listening;

    private ListenConnection(
            Connection connection, NotificationWait notifications, Session session, int pid, boolean pooled) {
        this.connection = connection;
        this.notifications = notifications;
        this.session = session;
        this.pid = pid;
        this.pooled = pooled;
    }

    /** Opens a connection. Refuses a standby: its snapshots list no running transactions, so that a pass would lose events. */
    public static ListenConnection open(DataSource dataSource, Database database) {
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
                    Standby.discard(connection);
                    throw new PostriderException(
                            Kind.CONFLICT, "this server is a standby; Postrider must be connected to the primary");
                }
                // The process id that a pooler sends at login is not that of the server.
                boolean pooled = postgres.getBackendPID() != identity.pid();
                return new ListenConnection(
                        connection, new NotificationWait(connection, postgres), session, identity.pid(), pooled);
            } catch (SQLException | RuntimeException e) {
                try {
                    connection.close();
                } catch (SQLException unclean) {
                    e.addSuppressed(unclean);
                }
                throw e;
            }
        } catch (SQLException e) {
            throw Session.failed("connect", e);
        }
    }

    /**
     * Sets the session settings, whatever the role's defaults are, and listens to the schema's channel. Does nothing behind a
     * pooler, where another client gets the session, with its settings, a moment later.
     *
     * @param payloads the payloads to receive; all others are dropped
     * @param newPause decides when not to listen, because of a flood
     */
    public void listen(String newChannel, Set<String> payloads, ListenPause newPause) {
        if (pooled) {
            return;
        }
        for (String name : CHANGED) {
            session.one(SETTING, bind -> bind.text("name", name), row -> row.text("setting"))
                    .ifPresent(setting -> settingsBefore.put(name, setting));
        }
        execute("set search_path = pg_catalog, pg_temp");
        execute("set jit = off");
        session.markPinned();
        execute("set session characteristics as transaction isolation level read committed, read write");
        execute("set statement_timeout = '" + LONGEST_STATEMENT + "'");
        lockTimeout(LOCK_TIMEOUT);
        execute("set idle_session_timeout = 0");
        // A frozen node does not read, so its backend blocks in writing notifications and keeps its snapshot, which
        // stops
        // vacuum until the server's kernel ends the connection.
        execute("set tcp_user_timeout = '10s'; set tcp_keepalives_idle = '10s'; set tcp_keepalives_interval = '5s';"
                + " set tcp_keepalives_count = 3");
        channel = newChannel;
        pause = newPause;
        notifications.accept(payloads, pid);
        listenIfDue();
    }

    private void listenIfDue() {
        if (!listening && !channel.isEmpty() && notifications.canListen() && pause.isOver()) {
            execute("listen " + channel);
            listening = true;
        }
    }

    /**
     * Fails within 10 s if the link is dead. Without it a node would notice only after {@link #DEAD_AFTER_MILLIS}, which must be long
     * because of the pass that opens an era. Does nothing behind a pooler, which may keep us waiting for a session.
     */
    public void ping() {
        if (pooled) {
            return;
        }
        try {
            connection.setNetworkTimeout(Runnable::run, PING_MILLIS);
            execute("");
            connection.setNetworkTimeout(Runnable::run, DEAD_AFTER_MILLIS);
        } catch (SQLException e) {
            throw Session.failed("ping", e);
        }
    }

    /** Limits how long statements of this connection wait for a lock. Does nothing behind a pooler, as for all settings. */
    public void lockTimeout(Duration most) {
        if (!pooled) {
            execute("set lock_timeout = " + most.toMillis());
        }
    }

    /** The payloads received since the last call; waits up to this time, and only for the first. */
    public List<String> await(Duration most) {
        listenIfDue();
        try {
            List<String> received = notifications.await(most.compareTo(LONGEST_WAIT) < 0 ? most : LONGEST_WAIT);
            if (listening && notifications.isFlooded()) {
                endListening();
                execute("unlisten *");
                notifications.takeFlood(); // what arrived before the answer
            }
            return received;
        } catch (SQLException e) {
            throw Session.failed("listen", e);
        }
    }

    /** Begins the pause first, because the connection may be abandoned during the next statement. */
    private void endListening() {
        listening = false;
        pause.flooded(channel, notifications.takeFlood());
    }

    /** Whether notifications are received. If not, a task that waits for one must poll. */
    public boolean isListening() {
        return listening;
    }

    /** Whether the driver lets us receive notifications without a risk to memory. */
    public boolean canListen() {
        return notifications.canListen();
    }

    /** Why it does not; empty if it does. */
    public String obstacle() {
        return notifications.obstacle();
    }

    public Session session() {
        return session;
    }

    /** The process id of the server's backend. */
    public int pid() {
        return pid;
    }

    /** Whether a pooler may give our session to other clients: then there are no locks and no notifications. */
    public boolean isPooled() {
        return pooled;
    }

    private void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw Session.failed("listen", e);
        }
    }

    /** Returns the connection with its state restored: it may belong to a pool. A broken one is only closed. */
    @Override
    public void close() {
        if (listening && notifications.isFlooded()) {
            endListening(); // that is why the connection was given up
        }
        try (Connection closing = connection) {
            if (!closing.isClosed() && !pooled) {
                execute("select pg_catalog.pg_advisory_unlock_all()");
                execute("unlisten *");
                notifications.stop();
                // not "reset all", which would also undo settings of the pool
                settingsBefore.forEach((name, setting) -> session.one(
                        RESTORE, bind -> bind.text("name", name).text("setting", setting), row -> row.text("setting")));
            }
            closing.setNetworkTimeout(Runnable::run, 0);
        } catch (SQLException | PostriderException e) {
            // the connection is broken: the server releases its locks
        }
    }
}
