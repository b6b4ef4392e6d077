package io.postrider.internal.sequence;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.Heads;
import io.postrider.internal.wake.NodeConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports that a new era has begun: another cluster or timeline continues the log. If it lacks positions that this node has
 * seen, it has lost them and assigns them to other events. The lost range is reported for each topic that the node follows.
 * Behind a pooler the node's connection may outlive its server; then it reconnects, so that every task reads its state again.
 */
public final class Eras implements NodeConnection.Task {
    private static final Logger log = LoggerFactory.getLogger(Eras.class);
    private static final Sql LATEST = Sql.file("log/latest_era");
    private static final Sql HEAD_BEFORE = Sql.file("log/head_before");

    private final Heads heads;
    private final Watch watch;
    private int known;

    /** The greatest heads seen when a connection was lost in this era: within an era heads never decrease. */
    private final Map<String, Long> headsBefore = new HashMap<>();

    public Eras(Heads heads, Watch watch) {
        this.heads = heads;
        this.watch = watch;
    }

    private record Era(int number, String reason) {}

    @Override
    public void connected(ListenConnection connection) {}

    @Override
    public Duration turn(ListenConnection connection, NodeConnection.Turn turn) {
        if (turn.check()) {
            connection
                    .session()
                    .one(LATEST, Bind::nothing, row -> new Era(row.int4("era"), row.text("reason")))
                    .ifPresent(era -> compare(connection, era));
        }
        return Duration.ofMinutes(5);
    }

    private void compare(ListenConnection connection, Era era) {
        if (known > 0 && era.number() > known) {
            report(connection, era);
            headsBefore.clear();
            known = era.number();
            if (connection.isPooled()) {
                throw new PostriderException(Kind.UNREACHABLE, "the pooler now connects to another server");
            }
        }
        known = era.number();
    }

    private void report(ListenConnection connection, Era era) {
        log.warn("era_opened era={} reason=\"{}\"", era.number(), era.reason());
        watch.eraOpened(era.number(), era.reason());
        Map<String, Long> seen =
                connection.isPooled() ? heads.all() : headsBefore; // a pooler may hide a change of server
        seen.forEach((topic, head) -> {
            long kept = connection
                    .session()
                    .one(
                            HEAD_BEFORE,
                            bind -> bind.text("topic", topic).int4("era", era.number()),
                            row -> row.int8("position"))
                    .orElse(0L);
            if (kept < head) {
                log.warn(
                        "era_opened era={} topic={} forgotten_from={} forgotten_to={} the server has lost these"
                                + " positions and assigns them to other events",
                        era.number(),
                        topic,
                        kept + 1,
                        head);
                watch.forgotten(topic, kept + 1, head);
            }
        });
    }

    @Override
    public void lost() {
        heads.all().forEach((topic, head) -> headsBefore.merge(topic, head, Math::max));
    }
}
