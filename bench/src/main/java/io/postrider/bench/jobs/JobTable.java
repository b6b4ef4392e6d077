package io.postrider.bench.jobs;

import io.postrider.bench.database.Statements;
import io.postrider.bench.load.Payloads;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The two usual ways to keep jobs in a table, as baselines. */
final class JobTable {
    static final int BATCH = 100;

    private static final String CREATE = """
            create table job (
              id           bigint       not null generated always as identity primary key,
              type         text         not null,
              payload      jsonb        not null,
              run_at       timestamptz  not null default clock_timestamp(),
              state        text         not null default 'pending',
              attempts     int          not null default 0,
              locked_by    text,
              lease_until  timestamptz,
              finished_at  timestamptz
            )""";

    private JobTable() {}

    static void create(Connection connection) throws SQLException {
        Statements.execute(connection, CREATE);
        Statements.execute(connection, "create index job_due on job (run_at, id) where state = 'pending'");
    }

    static void fill(Connection connection, long jobs) throws SQLException {
        Statements.execute(
                connection,
                "insert into job (type, payload) select 'noop', " + Payloads.SQL + " from generate_series(1, " + jobs
                        + ") g");
    }

    /** One job, as both ways pass it to a handler. */
    record Row(long id, String type, String payload) {}

    /** The handler of a job. */
    interface Handler {
        void handle(Row row) throws Exception;
    }

    /** One transaction that fetches, handles and deletes. Returns the number of jobs. */
    static int skipLocked(Connection connection, Handler handler) throws Exception {
        List<Row> rows = rows(
                connection,
                "select j.id, j.type, j.payload::text from job j where j.state = 'pending' and j.run_at <= now()"
                        + " order by j.run_at, j.id limit " + BATCH + " for update skip locked");
        for (Row row : rows) {
            handler.handle(row);
        }
        write(connection, "delete from job j where j.id = any (?)", rows);
        connection.commit();
        return rows.size();
    }

    /** A transaction that claims, the handlers, a transaction that settles. Returns the number of jobs. */
    static int leased(Connection connection, Handler handler) throws Exception {
        List<Row> rows = rows(
                connection,
                "update job j set state = 'running', attempts = j.attempts + 1, locked_by = 'bench',"
                        + " lease_until = clock_timestamp() + interval '30 seconds' where j.id in ("
                        + " select j.id from job j where j.state = 'pending' and j.run_at <= now()"
                        + " order by j.run_at, j.id limit " + BATCH + " for update skip locked)"
                        + " returning j.id, j.type, j.payload::text");
        connection.commit();
        for (Row row : rows) {
            handler.handle(row);
        }
        write(
                connection,
                "update job j set state = 'done', finished_at = clock_timestamp(), lease_until = null"
                        + " where j.id = any (?) and j.locked_by = 'bench'",
                rows);
        connection.commit();
        return rows.size();
    }

    private static List<Row> rows(Connection connection, String sql) throws SQLException {
        List<Row> rows = new ArrayList<>(BATCH);
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                rows.add(new Row(result.getLong(1), result.getString(2), result.getString(3)));
            }
        }
        return rows;
    }

    private static void write(Connection connection, String sql, List<Row> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Array ids = connection.createArrayOf("int8", rows.stream().map(Row::id).toArray());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, ids);
            statement.executeUpdate();
        }
    }
}
