package io.postrider.livechat;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The JDBC that the example needs: a statement, its values, and a record for each row. */
final class Rows {
    private Rows() {}

    /** Maps the current row to a value. */
    interface Read<T> {
        T read(ResultSet row) throws SQLException;
    }

    static <T> List<T> query(Connection connection, String sql, Read<T> read, @Nullable Object... values)
            throws SQLException {
        return queryWithin(connection, Duration.ZERO, sql, read, values);
    }

    /** The same, cancelled with an {@link SQLException} after whole seconds; zero: never. */
    static <T> List<T> queryWithin(
            Connection connection, Duration most, String sql, Read<T> read, @Nullable Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(Math.toIntExact(most.toSeconds()));
            bind(connection, statement, values);
            List<T> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(read.read(result));
                }
            }
            return rows;
        }
    }

    static <T> Optional<T> one(Connection connection, String sql, Read<T> read, @Nullable Object... values)
            throws SQLException {
        return query(connection, sql, read, values).stream().findFirst();
    }

    static int run(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(connection, statement, values);
            return statement.executeUpdate();
        }
    }

    private static void bind(Connection connection, PreparedStatement statement, @Nullable Object[] values)
            throws SQLException {
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Collection<?> texts) {
                Array array = connection.createArrayOf("text", texts.toArray());
                statement.setArray(i + 1, array);
            } else {
                statement.setObject(i + 1, values[i]);
            }
        }
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static List<String> texts(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }
}
