package io.postrider.spring;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.JobHandler;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.Worker;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.util.ClassUtils;

/**
 * How many connections of the application's pool a node uses. A pool that is too small does not fail: every caller waits for
 * its timeout of 30 seconds. Therefore the application refuses to start with such a pool.
 */
final class ConnectionBudget {
    private static final Logger log = LoggerFactory.getLogger(ConnectionBudget.class);
    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", ConnectionBudget.class.getClassLoader());

    /** Claims, settlements, takeover and retention share connections; two are often in use at the same time. */
    private static final int HOUSEKEEPING = 2;

    private final DataSource dataSource;
    private final boolean direct;

    /** @param direct whether the permanent connection does not come from the pool */
    ConnectionBudget(DataSource dataSource, boolean direct) {
        this.dataSource = dataSource;
        this.direct = direct;
    }

    void check(List<Listener> listeners, List<Worker> workers) {
        int lasting = direct ? 0 : 1;
        int slots = workers.stream()
                .filter(ConnectionBudget::isTransactional)
                .mapToInt(Worker::slots)
                .sum();
        int least = lasting + 1;
        int busy = lasting + listeners.size() + slots + HOUSEKEEPING;
        Integer most = HAS_HIKARI ? Hikari.maximumPoolSize(dataSource) : null;
        log.info(
                "connections pool_max={} needed={} busy={} lasting={} listeners={} transactional_job_slots={}"
                        + " housekeeping={}",
                most == null ? "unknown" : most,
                least,
                busy,
                lasting,
                listeners.size(),
                slots,
                HOUSEKEEPING);
        if (most != null && most < least) {
            throw PostriderException.refused("the connection pool has at most " + most + " connection"
                    + (most == 1 ? "" : "s") + ", and Postrider needs at least " + least
                    + ": one that it keeps for notifications and locks, and one for its work. Set"
                    + " spring.datasource.hikari.maximum-pool-size to " + least + " or more (up to " + busy
                    + " are used at once, besides the application's own), or set postrider.direct-url, so that the one"
                    + " it keeps is not taken from the pool");
        }
    }

    private static boolean isTransactional(Worker worker) {
        return worker.types().stream()
                .map(worker::kind)
                .anyMatch(kind -> kind != null && kind.handler() instanceof JobHandler.Transactional);
    }

    /** A separate class, because an application may have another pool and no HikariCP on its class path. */
    private static final class Hikari {
        static @Nullable Integer maximumPoolSize(DataSource dataSource) {
            HikariDataSource pool =
                    DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
            return pool == null ? null : pool.getMaximumPoolSize();
        }
    }
}
