package io.postrider.cli.tail;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Follows a topic with a node of its own that has no listeners: it hears when the log moves, and keeps it moving if nobody
 * else does. Loses nothing when the database goes away for a while: it knows the last position printed.
 */
public final class Follower {
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** A node also looks after segments. This one must never remove any: how long events are kept is not its business. */
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final Options options;
    private final DataSource dataSource;
    private final @Nullable DataSource direct;
    private final boolean sequences;
    private final Consumer<String> say;

    /** @param sequences whether the role may sequence; if not it only looks */
    public Follower(
            Options options,
            DataSource dataSource,
            @Nullable DataSource direct,
            boolean sequences,
            Consumer<String> say) {
        this.options = options;
        this.dataSource = dataSource;
        this.direct = direct;
        this.sequences = sequences;
        this.say = say;
    }

    /** Until the tail has had enough. */
    public void follow(Tail tail) throws InterruptedException {
        Semaphore moved = new Semaphore(1);
        try (HikariDataSource pool = pool();
                Postrider node = Postrider.on(pool, options(moved))) {
            if (sequences) {
                node.start();
            }
            Database database = new Database(pool, SchemaName.of(options.schema()));
            boolean lost = false;
            do {
                moved.tryAcquire(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
                moved.drainPermits();
                lost = hasLost(database, tail, lost);
            } while (!tail.isDone());
        }
    }

    /** Prints what there is; whether the database could not be reached. Says so once, and when it is back. */
    private boolean hasLost(Database database, Tail tail, boolean before) {
        try {
            database.autocommit(tail::toTheHead);
            if (before) {
                say.accept("the database is back");
            }
            return false;
        } catch (PostriderException e) {
            if (e.kind() != Kind.UNREACHABLE) {
                throw e;
            }
            if (!before) {
                say.accept("the database cannot be reached, trying again: " + e.getMessage());
            }
            return true;
        }
    }

    private Options options(Semaphore moved) {
        Options changed = options.withKeep(FOR_EVER).withWatch(new Watch() {
            @Override
            public void sequenced(long events, Duration took) {
                moved.release();
            }

            @Override
            public void notified(String what) {
                moved.release();
            }
        });
        return direct == null ? changed : changed.withDirect(direct);
    }

    /** Three: the wire's, retention's, ours. */
    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setPoolName("tail");
        config.setMaximumPoolSize(3);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(5_000);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }
}
