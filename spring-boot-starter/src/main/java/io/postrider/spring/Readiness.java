package io.postrider.spring;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.schema.Migrator;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node can do its work now: its wire is connected, and the schema is the one that this version works with. The
 * schema is looked at once in five seconds at most, whoever asks how often. Threads may share it.
 */
public final class Readiness {
    private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();

    private final Postrider postrider;
    private final Database database;
    private @Nullable Answer schema;
    private long lookedAt;

    /** For this node on its data source. */
    public Readiness(Postrider postrider, DataSource dataSource, String schema) {
        this.postrider = postrider;
        this.database = new Database(dataSource, SchemaName.of(schema));
    }

    /**
     * The answer.
     *
     * @param detail what is wrong, for an operator; null if ready
     */
    public record Answer(boolean ready, @Nullable String detail) {
        static final Answer YES = new Answer(true, null);
    }

    /** Asks. */
    public Answer ask() {
        if (!postrider.isConnected()) {
            return new Answer(
                    false, "the wire is not connected: the database cannot be reached, or the node is not started");
        }
        return askSchema();
    }

    /** Asks about the schema alone: for an application that runs no node. */
    public synchronized Answer askSchema() {
        if (schema == null || System.nanoTime() - lookedAt > TRUSTED_NANOS) {
            schema = look();
            lookedAt = System.nanoTime();
        }
        return schema;
    }

    private Answer look() {
        try {
            return database.autocommit(session -> {
                Migrator.requireCurrent(session);
                return Answer.YES;
            });
        } catch (PostriderException e) {
            return new Answer(false, e.getMessage());
        }
    }
}
