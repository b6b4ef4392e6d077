package io.postrider.listen;

import io.postrider.db.Line;
import io.postrider.db.Sql;
import io.postrider.log.Heads;
import io.postrider.wake.Wire;
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
 * Which listeners this node runs. One node runs a listener at a time, by a lock of its wire's session: no row is written to
 * hold it, and it is free the moment the process is gone. The lock only saves work; that two who both believe to own a
 * listener cannot both finish a range is the ledger's doing (deliver.sql).
 */
public final class Posts implements Wire.Task {
    private static final Logger log = LoggerFactory.getLogger(Posts.class);
    private static final Sql TRY_OWN = Sql.file("listen/try_own");
    private static final Sql STATUS = Sql.file("listen/status");

    private final Heads heads;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    public Posts(Heads heads) {
        this.heads = heads;
    }

    Post open(String listener, String topic) {
        return entries.computeIfAbsent(listener, name -> new Entry(new Post(), topic))
                .post();
    }

    @Override
    public void connected(Line line) {
        look(line, false);
    }

    @Override
    public Duration turn(Line line, Wire.Turn turn) {
        if (turn.poll() || turn.heardSteer()) {
            look(line, turn.heardSteer());
        }
        return Duration.ofMinutes(5);
    }

    @Override
    public void lost() {
        entries.values().forEach(entry -> entry.post().held(false));
    }

    private void look(Line line, boolean heardSteer) {
        if (entries.isEmpty()) {
            return;
        }
        List<String> wanted = new ArrayList<>();
        entries.forEach((name, entry) -> {
            if (!entry.post().isHeld()) {
                wanted.add(name);
            }
        });
        if (!wanted.isEmpty()) {
            own(line, wanted);
        }
        record Status(
                String name,
                boolean paused,
                boolean detached,
                boolean due,
                @Nullable Instant testAskedAt,
                long startRow) {}
        line.session()
                .query(
                        STATUS,
                        bind -> bind.texts("listeners", entries.keySet()),
                        row -> new Status(
                                row.text("name"),
                                row.bool("paused"),
                                row.bool("detached"),
                                row.bool("due"),
                                row.instantOrNull("test_asked_at"),
                                row.int8("start_row")))
                .forEach(status -> {
                    Entry entry = entries.get(status.name());
                    if (entry != null) {
                        entry.post().status(status.paused(), status.detached(), status.due(), status.startRow());
                        boolean test = entry.post().askForTest(status.testAskedAt());
                        if (status.due() || test || heardSteer) {
                            heads.nudge(entry.topic());
                        }
                    }
                });
    }

    /** Behind a pooler no session is ours to hold a lock by, so every node runs every listener, and the ledger decides. */
    private void own(Line line, List<String> wanted) {
        if (line.isPooled()) {
            wanted.forEach(name -> entry(name).post().share());
            return;
        }
        record Got(String name, boolean got) {}
        line.session()
                .query(
                        TRY_OWN,
                        bind -> bind.texts("listeners", wanted),
                        row -> new Got(row.text("name"), row.bool("got")))
                .forEach(got -> {
                    if (got.got()) {
                        log.info("listener_owned listener={}", got.name());
                        entry(got.name()).post().held(true);
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

    private record Entry(Post post, String topic) {}
}
