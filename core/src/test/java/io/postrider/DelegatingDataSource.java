package io.postrider;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Another data source, with whatever a test overrides. */
public class DelegatingDataSource implements DataSource {
    private final DataSource to;

    public DelegatingDataSource(DataSource to) {
        this.to = to;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return to.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return to.getConnection(user, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return to.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        to.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        to.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return to.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return to.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return to.isWrapperFor(type);
    }
}
