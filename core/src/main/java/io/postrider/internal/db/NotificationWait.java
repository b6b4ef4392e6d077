package io.postrider.internal.db;

import java.io.IOException;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.jdbc.PgConnection;

/**
 * Waits for the first notification, and returns as soon as it arrives.
 *
 * <p>The driver's own {@code getNotifications(timeout)} reads until nothing has arrived for 1 ms. So each notification costs 1 ms,
 * and while commits come more often than that it does not return at all: the sequencer stayed asleep through 3,000 commits, each
 * of which notified because it was asleep. The driver also keeps every notification that comes with the answer to a statement,
 * however large. Therefore a {@link NotificationFilter} is put between the driver's stream, which is private, and its socket. Where
 * that is impossible, a session must not listen: see {@link #canListen}.
 */
final class NotificationWait {
    private final Connection connection;
    private final PGConnection postgres;
    private final @Nullable NotificationFilter filter;
    private final String obstacle;

    /** The connection must not listen to any channel yet. */
    NotificationWait(Connection connection, PGConnection postgres) {
        this(connection, postgres, "pgStream");
    }

    /** @param streamField the driver's field that holds its stream; private, so another version may have none of this name */
    NotificationWait(Connection connection, PGConnection postgres, String streamField) {
        this.connection = connection;
        this.postgres = postgres;
        Attached attached = attach(connection, postgres, streamField);
        this.filter = attached.filter;
        this.obstacle = attached.obstacle;
    }

    /** @param obstacle why there is no filter; empty if there is one */
    private record Attached(@Nullable NotificationFilter filter, String obstacle) {
        static Attached to(NotificationFilter filter) {
            return new Attached(filter, "");
        }

        static Attached not(String obstacle) {
            return new Attached(null, obstacle);
        }
    }

    private static Attached attach(Connection connection, PGConnection postgres, String streamField) {
        if (!(postgres instanceof PgConnection own && own.getQueryExecutor() instanceof QueryExecutorBase executor)) {
            return Attached.not("the connection is a " + postgres.getClass().getName() + ", which does not unwrap to"
                    + " pgjdbc's own");
        }
        try {
            Field field = QueryExecutorBase.class.getDeclaredField(streamField);
            field.setAccessible(true);
            PGStream stream = (PGStream) field.get(executor);
            if (stream.getSocket() instanceof FilteredSocket ours) {
                return Attached.to(ours.filter()); // a connection that a pool hands out again
            }
            if (stream.isGssEncrypted()) {
                return Attached.not("the connection uses GSS encryption, which hides the messages on its socket");
            }
            if (stream.hasMessagePending()) {
                return Attached.not("the driver has read ahead, and what it has read would be lost");
            }
            FilteredSocket filtered = new FilteredSocket(stream.getSocket());
            stream.changeSocket(filtered);
            return Attached.to(filtered.filter());
        } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
            return Attached.not("pgjdbc " + version(connection) + " does not give access to its stream: " + e);
        }
    }

    private static String version(Connection connection) {
        try {
            return connection.getMetaData().getDriverVersion();
        } catch (SQLException e) {
            return "of an unknown version";
        }
    }

    /** The reason why notifications cannot be received; empty if they can. */
    String obstacle() {
        return obstacle;
    }

    /** Whether notifications can be received without a risk to memory. If not, this connection must not listen. */
    boolean canListen() {
        return filter != null;
    }

    /** From now on receives these payloads and drops all others, including all that its own session sends. */
    void accept(Set<String> payloads, int ownPid) {
        if (filter != null) {
            filter.accept(payloads, ownPid);
        }
    }

    /** From now on the driver gets notifications again. */
    void stop() {
        if (filter != null) {
            filter.stop();
        }
    }

    /** Whether more notifications arrived in a short time than nodes ever send. */
    boolean isFlooded() {
        return filter != null && filter.isFlooded();
    }

    /** The dropped bytes and the process that sent the last of them, for the log. The next flood is counted from zero. */
    Flood takeFlood() {
        if (filter == null) {
            return new Flood(0, 0);
        }
        Flood flood = new Flood(filter.droppedBytes(), filter.droppedFrom());
        filter.forgetFlood();
        return flood;
    }

    record Flood(long bytes, int pid) {}

    /** The payloads received since the last call; waits for one up to this time. */
    List<String> await(Duration most) throws SQLException {
        int millis = (int) Math.max(1, most.toMillis());
        if (filter == null) {
            postgres.getNotifications(millis); // only waits: this connection does not listen
            return List.of();
        }
        if (awaitMessage(filter, millis)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(""); // lets the driver read it: a changed setting, or why the connection ends
            }
        }
        return filter.take();
    }

    /** Whether there is a message for the driver. */
    private static boolean awaitMessage(NotificationFilter filter, int millis) throws SQLException {
        try {
            return filter.await(millis);
        } catch (IOException e) {
            throw new SQLException("the connection is broken: " + e.getMessage(), "08006", e);
        }
    }
}
