package io.postrider.proof.faults;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Short ways to ask a database something, and to tell it something. */
final class Rows {
    private Rows() {}

    static List<String> texts(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (result.next()) {
                texts.add(result.getString(1));
            }
            return texts;
        }
    }

    static String text(DataSource dataSource, String sql) throws SQLException {
        return texts(dataSource, sql).get(0);
    }

    static long number(DataSource dataSource, String sql) throws SQLException {
        return Long.parseLong(text(dataSource, sql));
    }

    static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
