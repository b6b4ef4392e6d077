package io.postrider;

import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** One session of the database, driven by hand: what a test needs to hold a transaction open while others go on. */
public final class Psql implements AutoCloseable {
    private final Connection connection;

    public Psql(TestDatabase database) {
        this(database.dataSource());
    }

    public Psql(DataSource dataSource) {
        try {
            this.connection = dataSource.getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** From now on in a transaction, until commit or rollback. */
    public Psql begin() {
        return quietly(() -> connection.setAutoCommit(false));
    }

    public Psql commit() {
        return quietly(() -> {
            connection.commit();
            connection.setAutoCommit(true);
        });
    }

    public Psql rollback() {
        return quietly(() -> {
            connection.rollback();
            connection.setAutoCommit(true);
        });
    }

    /** Emits by SQL: each type to the topic, in this order. */
    public Psql emit(String topic, String... types) {
        for (String type : types) {
            text("select postrider.emit('" + topic + "', '" + type + "', '{}')::text");
        }
        return this;
    }

    /** Emits many by one statement, with numbered types: prefix1, prefix2 … */
    public Psql emitMany(String topic, String prefix, int count) {
        return execute("insert into postrider.event (topic, type, payload) select '" + topic + "', '" + prefix
                + "' || i, '{}' from generate_series(1, " + count + ") i");
    }

    /** A pass of the sequencer, by hand: how many events got positions. */
    public long pass() {
        return pass(20_000);
    }

    public long pass(int most) {
        List<String> row = texts("select events from postrider.sequence(" + most + ")");
        return row.isEmpty() ? 0 : Long.parseLong(row.get(0));
    }

    /** Passes until there is nothing left to do. */
    public Psql passAll() {
        while (!texts("select n from postrider.sequence(20000) where events > 0 or more")
                .isEmpty()) {
            // again
        }
        return this;
    }

    /** The types of a topic's events in the order of the log, after a check that positions are dense. */
    public List<String> log(String topic) {
        List<String> positions =
                texts("select position from postrider.log where topic = '" + topic + "' order by position");
        for (int i = 0; i < positions.size(); i++) {
            if (!positions.get(i).equals(Integer.toString(i + 1))) {
                throw new AssertionError("topic " + topic + " is not dense: " + positions);
            }
        }
        return texts("select type from postrider.events where topic = '" + topic + "' order by position");
    }

    public Psql execute(String sql) {
        return quietly(() -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        });
    }

    public long number(String sql) {
        return Long.parseLong(text(sql));
    }

    /** The one value of the one row; null for a null. */
    public String text(String sql) {
        List<String> all = texts(sql);
        if (all.size() != 1) {
            throw new AssertionError(all.size() + " rows, not one: " + sql);
        }
        return all.get(0);
    }

    /** The first column of every row. */
    public List<String> texts(String sql, String... parameters) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            List<String> texts = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    texts.add(result.getString(1));
                }
            }
            return texts;
        } catch (SQLException e) {
            throw new SqlFailure(e);
        }
    }

    /** The only row, its columns joined by a bar. */
    public String row(String sql) {
        return text("select array_to_string(array(select v.value from json_each_text(row_to_json(r)) v), '|', 'null')"
                + " from (" + sql + ") r");
    }

    public long pid() {
        return number("select pg_backend_pid()");
    }

    public Connection connection() {
        return connection;
    }

    @Override
    public void close() {
        quietly(connection::close);
    }

    private Psql quietly(Step step) {
        try {
            step.run();
            return this;
        } catch (SQLException e) {
            throw new SqlFailure(e);
        }
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** The database refused: with its SQLSTATE, which is what tests should look at. */
    public static final class SqlFailure extends RuntimeException {
        private static final long serialVersionUID = 1;

        SqlFailure(SQLException cause) {
            super(cause.getSQLState() + " " + cause.getMessage(), cause);
        }

        public String state() {
            return ((SQLException) getCause()).getSQLState();
        }
    }
}
