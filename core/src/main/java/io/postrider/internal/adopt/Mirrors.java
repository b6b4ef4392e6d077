package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the mirrors of adopted tables on a started node, once a second. Several nodes may: the row of the adoption is their lock,
 * and what one has written back the next does not find again.
 */
public final class Mirrors implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Mirrors.class);
    private static final Sql MIRRORED = Sql.text(
            "adopt/mirrored",
            "select a.source from postrider.adoption a where a.mirror and a.state in ('holding', 'emitting')");
    private static final long EVERY_MS = 1_000;

    /** The last failure of each table, which is logged once. */
    private final Map<String, String> failures = new HashMap<>();

    private final Database database;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread mirror = new Thread(work, "postrider-mirror");
        mirror.setDaemon(true);
        return mirror;
    });

    public Mirrors(Database database) {
        this.database = database;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::passes, EVERY_MS, EVERY_MS, TimeUnit.MILLISECONDS);
    }

    private void passes() {
        try {
            List<String> sources =
                    database.transaction(session -> session.query(MIRRORED, Bind::nothing, row -> row.text("source")));
            sources.forEach(this::pass);
        } catch (RuntimeException e) {
            log.debug("adopt_mirror_failed", e); // an unreachable database is reported by the node's own connection
        }
    }

    private void pass(String source) {
        try {
            database.transaction(session -> StoredAdoption.find(session, source))
                    .ifPresent(adoption -> new Mirror(database, adoption).pass());
            failures.remove(source);
        } catch (PostriderException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(failures.put(source, message))) {
                log.warn("adopt_mirror_failed source={} error=\"{}\"", source, message);
            }
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
