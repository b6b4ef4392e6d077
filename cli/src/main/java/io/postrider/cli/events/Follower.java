package io.postrider.cli.events;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Log;
import io.postrider.admin.Watch;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Follows a topic with its own node, which has no listeners: the node is notified of new events, and sequences them if no other
 * node does. It remembers the last printed position, so it misses nothing when the database is unreachable for a while.
 */
public final class Follower {
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** A node also removes old segments. This one must not: it has no say in how long events are kept. */
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final Options options;
    private final DataSource dataSource;
    private final @Nullable DataSource direct;
    private final boolean sequences;
    private final Consumer<String> say;

    /** @param sequences whether the role may sequence; if not, the follower only polls */
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

    /** Prints up to the head, on one connection for all batches. */
    public static void readOnce(Options options, DataSource dataSource, Tail tail) {
        try (HikariDataSource pool = pool(dataSource);
                Postrider postrider = Postrider.on(pool, options)) {
            tail.toTheHead(postrider.log());
        }
    }

    /** Follows until the tail is done. */
    public void follow(Tail tail) throws InterruptedException {
        Semaphore moved = new Semaphore(1);
        try (HikariDataSource pool = pool(dataSource);
                Postrider node = Postrider.on(pool, options(moved))) {
            if (sequences) {
                node.start();
            }
            boolean lost = false;
            do {
                moved.tryAcquire(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
                moved.drainPermits();
                lost = hasLost(node.log(), tail, lost);
            } while (!tail.isDone());
        }
    }

    /** Prints new events; returns whether the database is unreachable. Reports that once, and when it is back. */
    private boolean hasLost(Log log, Tail tail, boolean before) {
        try {
            tail.toTheHead(log);
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

    /** Three connections: one for the node, one for retention and one for reading. */
    static HikariDataSource pool(DataSource dataSource) {
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
