package io.postrider.spring;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node can do its work now: its wire is connected, the schema is the one that this version works with, and
 * committed events get their positions. The database is queried at most once in five seconds. Thread-safe.
 */
public final class Readiness {
    private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Postrider postrider;
    private final Postrider limited;
    private @Nullable Answer last;
    private long lookedAt;

    /** Checks this node on its data source. */
    public Readiness(Postrider postrider, DataSource dataSource, String schema) {
        this.postrider = postrider;
        this.limited =
                Postrider.on(dataSource, Options.defaults().withSchema(schema).withStatementTimeout(PATIENCE));
    }

    /**
     * The result of a check.
     *
     * @param detail what is wrong, for an operator; null if ready
     * @param reason the same as one word that may be public; null if there is none
     */
    public record Answer(
            boolean ready,
            @Nullable String detail,
            @Nullable String reason) {
        static final Answer YES = new Answer(true, null);

        /** Without a public reason. */
        public Answer(boolean ready, @Nullable String detail) {
            this(ready, detail, null);
        }
    }

    /** Checks the node and the database. */
    public Answer ask() {
        if (!postrider.isConnected()) {
            return new Answer(
                    false, "the wire is not connected: the database cannot be reached, or the node is not started");
        }
        return askSchema();
    }

    /** Checks only the database, for an application that runs no node. */
    public synchronized Answer askSchema() {
        if (last == null || System.nanoTime() - lookedAt > TRUSTED_NANOS) {
            last = look();
            lookedAt = System.nanoTime();
        }
        return last;
    }

    private Answer look() {
        try {
            limited.migrations().requireCurrent();
            return limited.doctor()
                    .sequencingTrouble()
                    .map(trouble -> new Answer(false, trouble, "sequencing_stalled"))
                    .orElse(Answer.YES);
        } catch (PostriderException e) {
            return new Answer(false, e.getMessage());
        }
    }
}
