package io.postrider;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** One that can be told to fail: as a database does that is not there, or with what no data source should throw. */
public final class FaultyDataSource extends DelegatingDataSource {
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean failing;
    private volatile boolean away;

    public FaultyDataSource(DataSource to) {
        super(to);
    }

    /** With an unchecked exception. */
    public void fail(boolean now) {
        failing = now;
    }

    /** As if nobody listened at the port. */
    public void away(boolean now) {
        away = now;
    }

    /** How often it was asked for a connection. */
    public int asked() {
        return asked.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        asked.incrementAndGet();
        if (failing) {
            throw new IllegalStateException("no connection today");
        }
        if (away) {
            throw new SQLException("connection refused", "08001");
        }
        return super.getConnection();
    }
}
