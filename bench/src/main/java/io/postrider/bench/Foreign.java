package io.postrider.bench;

import java.sql.Connection;
import java.sql.SQLException;

/** Somebody else's transaction, open until its connection is closed: no dead tuple that it might see is vacuumed meanwhile. */
final class Foreign {
    private static final String WRITE = "insert into elsewhere values (1)";
    private static final String READ = "select count(*) from elsewhere";

    private Foreign() {}

    /** What it writes to and reads from, which is not ours. */
    static void createTable(BenchDatabase database) throws SQLException {
        try (Connection connection = database.connect("bench-install")) {
            Sqls.execute(connection, "create table elsewhere (n int)");
        }
    }

    /** Has a number. */
    static Connection writer(BenchDatabase database) throws SQLException {
        return open(database, Connection.TRANSACTION_READ_COMMITTED, WRITE);
    }

    /** Has a snapshot. */
    static Connection reader(BenchDatabase database) throws SQLException {
        return open(database, Connection.TRANSACTION_REPEATABLE_READ, READ);
    }

    /** Has both. */
    static Connection writingReader(BenchDatabase database) throws SQLException {
        return open(database, Connection.TRANSACTION_REPEATABLE_READ, WRITE);
    }

    private static Connection open(BenchDatabase database, int isolation, String sql) throws SQLException {
        Connection connection = database.connect("bench-foreign");
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        Sqls.execute(connection, sql);
        return connection;
    }
}
