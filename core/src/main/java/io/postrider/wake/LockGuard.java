package io.postrider.wake;

import io.postrider.db.Bind;
import io.postrider.db.Line;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions that keep the nodes waiting for a lock: nodes that are frozen, and roles that may not run a node. It is the first
 * task of the wire and reads no table of ours, so it runs also when others wait for a locked table.
 */
public final class LockGuard implements Wire.Task {
    private static final Logger log = LoggerFactory.getLogger(LockGuard.class);
    private static final Sql END_FROZEN = Sql.file("wake/end_frozen");
    private static final Sql END_INTRUDERS = Sql.call(
            "end_intruders", "select i.pid, i.gid, i.role, i.locked, i.ended from postrider.end_intruders() i");

    /** An intruder that cannot be ended is found once per poll; it is logged once in this time. */
    private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

    private final Map<String, Long> logged = new HashMap<>();

    private record Intruder(@Nullable Long pid, @Nullable String gid, String role, String locked, boolean ended) {
        String name() {
            return gid == null ? "pid=" + pid : "gid=" + gid;
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
    public void connected(Line line) {
        look(line);
    }

    @Override
    public Duration turn(Line line, Wire.Turn turn) {
        if (turn.poll()) {
            look(line);
        }
        return Duration.ofMinutes(5);
    }

    @Override
    public void lost() {}

    private void look(Line line) {
        if (!line.isPooled()) {
            line.session()
                    .query(END_FROZEN, Bind::nothing, row -> row.int4("pid"))
                    .forEach(pid -> log.warn("connection_ended pid={} its node does not answer", pid));
        }
        line.session()
                .query(
                        END_INTRUDERS,
                        Bind::nothing,
                        row -> new Intruder(
                                row.int8OrNull("pid"),
                                row.textOrNull("gid"),
                                row.text("role"),
                                row.text("locked"),
                                row.bool("ended")))
                .forEach(this::tell);
    }

    private void tell(Intruder intruder) {
        long now = System.nanoTime();
        logged.values().removeIf(at -> now - at > AGAIN_NANOS);
        if (logged.putIfAbsent(intruder.name(), now) == null) {
            log.warn(
                    "intruder {} role={} ended={} it keeps nodes waiting for the {} without rights to their tables{}",
                    intruder.name(),
                    intruder.role(),
                    intruder.ended(),
                    intruder.locked(),
                    intruder.advice());
        }
    }
}
