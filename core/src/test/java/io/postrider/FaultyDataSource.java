package io.postrider;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** One that can be told to fail, with what a data source should not throw: an unchecked exception. */
public final class FaultyDataSource extends DelegatingDataSource {
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean failing;

    public FaultyDataSource(DataSource to) {
        super(to);
    }

    public void fail(boolean now) {
        failing = now;
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
        return super.getConnection();
    }
}
