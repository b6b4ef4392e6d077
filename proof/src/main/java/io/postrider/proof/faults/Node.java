package io.postrider.proof.faults;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import java.util.List;
import java.util.function.UnaryOperator;

/** A started node with its own pool, as in an application. */
public final class Node implements AutoCloseable {
    private final HikariDataSource pool;
    private final Postrider postrider;

    private Node(HikariDataSource pool, Postrider postrider) {
        this.pool = pool;
        this.postrider = postrider;
    }

    /** Migrates if necessary, and starts. */
    public static Node start(String jdbcUrl, String name, UnaryOperator<Options> options, List<Listener> listeners) {
        HikariDataSource pool = pool(jdbcUrl, 6);
        try {
            Postrider postrider = Postrider.on(
                    pool, options.apply(Options.defaults().withNode(name).withSegmentSize(1_000_000)));
            postrider.migrate();
            listeners.forEach(postrider::add);
            return new Node(pool, postrider.start());
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    /** A pool that opens connections on demand and times out on a dead server within 2 s. */
    public static HikariDataSource pool(String jdbcUrl, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(2_000);
        return new HikariDataSource(config);
    }

    public Postrider postrider() {
        return postrider;
    }

    @Override
    public void close() {
        postrider.close();
        pool.close();
    }
}
