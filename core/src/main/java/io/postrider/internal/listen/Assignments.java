package io.postrider.internal.listen;

import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.Heads;
import io.postrider.internal.wake.NodeConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which listeners this node runs. One node runs a listener at a time: the session of its {@link NodeConnection} holds a
 * lock, which needs no row and is free as soon as the process is gone. The lock only saves work. If two nodes both believe that
 * they own a listener, the ledger lets only one of them finish a range (deliver.sql).
 */
public final class Assignments implements NodeConnection.Task {
    private static final Logger log = LoggerFactory.getLogger(Assignments.class);
    private static final Sql TRY_OWN = Sql.file("listen/try_own");
    private static final Sql STATUS = Sql.file("listen/status");

    private final Heads heads;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    public Assignments(Heads heads) {
        this.heads = heads;
    }

    Assignment open(String listener, String topic) {
        return entries.computeIfAbsent(listener, name -> new Entry(new Assignment(), topic))
                .assignment();
    }

    @Override
    public void connected(ListenConnection connection) {
        refresh(connection, false);
    }

    @Override
    public Duration turn(ListenConnection connection, NodeConnection.Turn turn) {
        if (turn.check() || turn.heardSteer()) {
            refresh(connection, turn.heardSteer());
        }
        return Duration.ofMinutes(5);
    }

    @Override
    public void lost() {
        entries.values().forEach(entry -> entry.assignment().held(false));
    }

    private void refresh(ListenConnection connection, boolean heardSteer) {
        if (entries.isEmpty()) {
            return;
        }
        List<String> wanted = new ArrayList<>();
        entries.forEach((name, entry) -> {
            if (!entry.assignment().isHeld()) {
                wanted.add(name);
            }
        });
        if (!wanted.isEmpty()) {
            acquire(connection, wanted);
        }
        record Found(
                String name,
                boolean paused,
                boolean detached,
                boolean due,
                @Nullable Instant testRequestedAt,
                long epoch,
                boolean shadowRequested,
                @Nullable Long reading) {}
        connection
                .session()
                .query(
                        STATUS,
                        bind -> bind.texts("listeners", entries.keySet()),
                        row -> new Found(
                                row.text("name"),
                                row.bool("paused"),
                                row.bool("detached"),
                                row.bool("due"),
                                row.instantOrNull("test_asked_at"),
                                row.int8("course"),
                                row.bool("shadow_asked"),
                                row.int8OrNull("reading")))
                .forEach(found -> {
                    Entry entry = entries.get(found.name());
                    if (entry != null) {
                        entry.assignment().update(found.paused(), found.detached(), found.due(), found.epoch());
                        boolean test = entry.assignment().requestTest(found.testRequestedAt());
                        boolean shadow = entry.assignment()
                                .requestShadow(found.shadowRequested(), found.reading() == null ? 0 : found.reading());
                        if (found.due() || test || shadow || heardSteer) {
                            heads.nudge(entry.topic());
                        }
                    }
                });
    }

    /** Behind a pooler no session can hold a lock, so every node runs every listener, and the ledger decides. */
    private void acquire(ListenConnection connection, List<String> wanted) {
        if (connection.isPooled()) {
            wanted.forEach(name -> entry(name).assignment().share());
            return;
        }
        record Lock(String name, boolean acquired) {}
        connection
                .session()
                .query(
                        TRY_OWN,
                        bind -> bind.texts("listeners", wanted),
                        row -> new Lock(row.text("name"), row.bool("got")))
                .forEach(lock -> {
                    if (lock.acquired()) {
                        log.info("listener_owned listener={}", lock.name());
                        entry(lock.name()).assignment().held(true);
                    }
                });
    }

    private Entry entry(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new IllegalStateException("no listener " + name + " on this node");
        }
        return entry;
    }

    private record Entry(Assignment assignment, String topic) {}
}
