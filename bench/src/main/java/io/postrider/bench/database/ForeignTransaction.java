package io.postrider.bench.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Another session's transaction, open until its connection is closed: dead tuples that it might see are not vacuumed meanwhile.
 */
public final class ForeignTransaction {
    private static final String WRITE = "insert into elsewhere values (1)";
    private static final String READ = "select count(*) from elsewhere";

    private ForeignTransaction() {}

    /** The table it writes and reads, which is not Postrider's. */
    public static void createTable(BenchDatabase database) throws SQLException {
        try (Connection connection = database.connect("bench-install")) {
            Statements.execute(connection, "create table elsewhere (n int)");
        }
    }

    /** Has an xid. */
    public static Connection writer(BenchDatabase database) throws SQLException {
        return open(database, Connection.TRANSACTION_READ_COMMITTED, WRITE);
    }

    /** Has a snapshot. */
    public static Connection reader(BenchDatabase database) throws SQLException {
        return open(database, Connection.TRANSACTION_REPEATABLE_READ, READ);
    }

    /** Has both. */
    public static Connection writingReader(BenchDatabase database) throws SQLException {
        return open(database, Connection.TRANSACTION_REPEATABLE_READ, WRITE);
    }

    private static Connection open(BenchDatabase database, int isolation, String sql) throws SQLException {
        Connection connection = database.connect("bench-foreign");
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        Statements.execute(connection, sql);
        return connection;
    }
}
