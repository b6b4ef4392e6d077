package io.postrider.internal.wake;

import io.postrider.PostriderException;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions that keep the nodes waiting for a lock: nodes that are frozen, and roles that may not run a node (intruders). It is
 * the first task of the node's connection and reads none of our tables, so it also runs when others wait for a locked table.
 *
 * <pre>
 * CALM   checks once a second. Leaves when it has ended an intruder.
 * ALERT  checks every 50 ms, because an intruder can reconnect at once. The connection waits at most 100 ms for a lock, because
 *        this thread cannot check while it waits. Leaves 5 s after the last intruder was ended.
 * </pre>
 */
public final class LockGuard implements NodeConnection.Task {
    private static final Logger log = LoggerFactory.getLogger(LockGuard.class);
    private static final Sql END_FROZEN = Sql.file("wake/end_frozen");
    private static final Sql RESERVE = Sql.file("wake/reserve_locks");
    private static final Sql FREE = Sql.file("wake/free_locks");
    private static final Sql READ_ROLES = Sql.file("wake/read_roles");
    private static final Sql END_INTRUDERS = Sql.call(
            "wake/end_intruders", "select i.pid, i.gid, i.role, i.locked, i.ended from postrider.end_intruders() i");

    /** An intruder that cannot be ended is found once per check; it is logged once in this time. */
    private static final long LOG_AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

    /** A terminated session is gone within milliseconds, unless its statement does not check for interrupts. */
    private static final long REMAINS_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long ALERT_NANOS = Duration.ofSeconds(5).toNanos();
    private static final Duration ALERT_EVERY = Duration.ofMillis(50);
    private static final Duration CALM_EVERY = Duration.ofMinutes(5);
    private static final int CHUNKS = 4;
    private static final Duration ALERT_LOCK_TIMEOUT = Duration.ofMillis(100);

    private final Map<String, Long> logged = new HashMap<>();
    /** When each session that is still there was first terminated. */
    private final Map<Long, Long> terminated = new HashMap<>();

    private @Nullable Long endedAt;
    /** Chunks of eight entries of the lock table that the connection holds. */
    private int reserved;

    private record Intruder(@Nullable Long pid, @Nullable String gid, String role, String locked, boolean ended) {
        String name() {
            return gid == null ? "pid=" + pid : "gid=" + Quoted.literal(gid);
        }

        String advice() {
            if (ended) {
                return "";
            }
            return gid == null
                    ? "; terminate it, or grant pg_signal_backend to the role of the nodes"
                    : "; run ROLLBACK PREPARED";
        }
    }

    @Override
    public void connected(ListenConnection connection) {
        check(connection);
    }

    @Override
    public Duration turn(ListenConnection connection, NodeConnection.Turn turn) {
        if (turn.check() || endedAt != null) {
            check(connection);
        }
        return endedAt == null ? CALM_EVERY : ALERT_EVERY;
    }

    @Override
    public void lost() {
        endedAt = null;
        reserved = 0;
    }

    /** Intruders first: if one has filled the lock table, the other statements fail. */
    private void check(ListenConnection connection) {
        boolean found = endIntruders(connection);
        if (endedAt != null && System.nanoTime() - endedAt > ALERT_NANOS) {
            endedAt = null;
            connection.lockTimeout(ListenConnection.LOCK_TIMEOUT);
        }
        if (!connection.isPooled()) {
            connection
                    .session()
                    .query(END_FROZEN, Bind::nothing, row -> row.int4("pid"))
                    .forEach(pid -> log.warn("connection_ended pid={} its node does not respond", pid));
            if (reserved < CHUNKS && !found) {
                reserve(connection);
            }
        }
    }

    private boolean endIntruders(ListenConnection connection) {
        List<Intruder> intruders;
        try {
            intruders = query(connection);
        } catch (PostriderException e) {
            if (reserved == 0 || !SqlState.isOutOfMemory(SqlState.of(e))) {
                throw e;
            }
            reserved--;
            connection.session().query(READ_ROLES, bind -> bind.int4("chunk", reserved), row -> true);
            intruders = query(connection);
        }
        intruders.forEach(this::report);
        reportRemaining(intruders);
        if (intruders.stream().anyMatch(Intruder::ended)) {
            if (endedAt == null) {
                connection.lockTimeout(ALERT_LOCK_TIMEOUT);
            }
            endedAt = System.nanoTime();
        }
        return !intruders.isEmpty();
    }

    private static List<Intruder> query(ListenConnection connection) {
        return connection
                .session()
                .query(
                        END_INTRUDERS,
                        Bind::nothing,
                        row -> new Intruder(
                                row.int8OrNull("pid"),
                                row.textOrNull("gid"),
                                row.text("role"),
                                row.text("locked"),
                                row.bool("ended")));
    }

    /**
     * Reserves entries of the lock table for the time when it is full. Reading the rights of a role that this session has not seen yet
     * takes about four. Several chunks, because another session may be faster to take the entries that are released.
     */
    private void reserve(ListenConnection connection) {
        connection.session().query(FREE, Bind::nothing, row -> true);
        reserved = 0;
        try {
            connection.session().query(RESERVE, Bind::nothing, row -> true);
            reserved = CHUNKS;
        } catch (PostriderException e) {
            connection.session().query(FREE, Bind::nothing, row -> true);
            if (!SqlState.isOutOfMemory(SqlState.of(e))) {
                throw e;
            }
        }
    }

    private void report(Intruder intruder) {
        long now = System.nanoTime();
        logged.values().removeIf(at -> now - at > LOG_AGAIN_NANOS);
        if (logged.putIfAbsent(intruder.name(), now) == null) {
            log.warn(
                    "intruder {} role={} ended={} it keeps nodes waiting for the {} without rights to their tables{}",
                    intruder.name(),
                    Quoted.line(intruder.role()),
                    intruder.ended(),
                    intruder.locked(),
                    intruder.advice());
        }
    }

    /** PostgreSQL confirms that it sent the signal, not that the session has ended. */
    private void reportRemaining(List<Intruder> intruders) {
        long now = System.nanoTime();
        terminated
                .keySet()
                .retainAll(intruders.stream()
                        .map(Intruder::pid)
                        .filter(Objects::nonNull)
                        .toList());
        for (Intruder intruder : intruders) {
            if (intruder.pid() == null || !intruder.ended()) {
                continue;
            }
            long since = now - terminated.computeIfAbsent(intruder.pid(), pid -> now);
            if (since > REMAINS_NANOS && logged.putIfAbsent("remains " + intruder.name(), now) == null) {
                log.warn(
                        "intruder_remains {} role={} seconds={} it was terminated and holds the {} until its statement checks"
                                + " for interrupts",
                        intruder.name(),
                        Quoted.line(intruder.role()),
                        Duration.ofNanos(since).toSeconds(),
                        intruder.locked());
            }
        }
    }
}
