package io.postrider.spring;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Emits and enqueues in Spring's transaction of the calling thread: if {@code @Transactional} rolls back, the event never
 * existed. Refuses to run outside a transaction, because an event that commits on its own is exactly what Postrider prevents.
 * Thread-safe.
 */
public final class TransactionalPostrider {
    private final Postrider postrider;
    private final DataSource dataSource;

    /** Uses the data source of the transaction manager. */
    public TransactionalPostrider(Postrider postrider, DataSource dataSource) {
        this.postrider = postrider;
        this.dataSource = TransactionManagers.bare(dataSource);
    }

    /** Writes an event in the current transaction. Returns its id. */
    public UUID emit(Event event) {
        return inTransaction("emit", connection -> postrider.emit(connection, event));
    }

    /** Writes events in this order, in the current transaction. */
    public void emitAll(List<Event> events) {
        inTransaction("emit", connection -> {
            postrider.emitAll(connection, events);
            return true;
        });
    }

    /** Writes a job in the current transaction. Returns its id, or that of the unfinished job that holds its unique key. */
    public UUID enqueue(Job job) {
        return inTransaction("enqueue", connection -> postrider.enqueue(connection, job));
    }

    /** Writes jobs in this order, in the current transaction. */
    public void enqueueAll(List<Job> jobs) {
        inTransaction("enqueue", connection -> {
            postrider.enqueueAll(connection, jobs);
            return true;
        });
    }

    private <T> T inTransaction(String verb, Function<Connection, T> work) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw PostriderException.refused(verb + " needs a transaction and there is none on this thread; put"
                    + " @Transactional on the method that calls it, or use a TransactionTemplate");
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            refuseStranger(verb, connection);
            return work.apply(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** A transaction of another data source does not cover this connection, which would commit each statement on its own. */
    private void refuseStranger(String verb, Connection connection) {
        try {
            if (!DataSourceUtils.isConnectionTransactional(connection, dataSource) || connection.getAutoCommit()) {
                throw PostriderException.refused(verb + " needs a transaction on Postrider's own data source; the one"
                        + " on this thread is of another: name its transaction manager in @Transactional");
            }
        } catch (SQLException e) {
            throw new PostriderException(Kind.UNREACHABLE, verb + " failed: " + e.getMessage(), e);
        }
    }
}
