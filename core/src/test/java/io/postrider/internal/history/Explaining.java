package io.postrider.internal.history;

import io.postrider.DelegatingDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Explains every read of the event log before it makes it: in the same transaction, as the same role, with the same values. */
final class Explaining extends DelegatingDataSource {
    private final String mode;
    private final String text;
    private final List<String> plans = new ArrayList<>();

    /** The mode: force_generic_plan is what a session has that has made a read often. */
    Explaining(DataSource to, String mode) {
        this(to, mode, "postrider.event_log e");
    }

    /** Explains statements that contain this text. */
    Explaining(DataSource to, String mode, String text) {
        super(to);
        this.mode = mode;
        this.text = text;
    }

    /** The plans since the last time. */
    List<String> take() {
        List<String> taken = List.copyOf(plans);
        plans.clear();
        return taken;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("set plan_cache_mode = " + mode);
        }
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(connection, arguments);
                        return method.getName().equals("prepareStatement") && ((String) arguments[0]).contains(text)
                                ? explained(connection, (PreparedStatement) result, (String) arguments[0])
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private PreparedStatement explained(Connection connection, PreparedStatement statement, String sql) {
        TreeMap<Integer, Object> values = new TreeMap<>();
        return (PreparedStatement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("set") && arguments.length > 1) {
                        values.put((Integer) arguments[0], method.getName().equals("setNull") ? null : arguments[1]);
                    } else if (method.getName().equals("executeQuery")) {
                        plans.add(explain(connection, sql, values));
                    }
                    try {
                        return method.invoke(statement, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static String explain(Connection connection, String sql, TreeMap<Integer, Object> values)
            throws SQLException {
        StringBuilder numbered = new StringBuilder();
        int parameter = 0;
        for (char c : sql.toCharArray()) {
            numbered.append(c == '?' ? "$" + ++parameter : Character.toString(c));
        }
        List<String> literals = values.values().stream()
                .map(value -> value == null || value instanceof Number
                        ? String.valueOf(value)
                        : "'" + value.toString().replace("'", "''") + "'")
                .toList();
        try (Statement statement = connection.createStatement()) {
            statement.execute("prepare explained as " + numbered);
            StringBuilder plan = new StringBuilder();
            try (ResultSet lines = statement.executeQuery(
                    "explain (analyze, buffers, costs off, timing off, summary off) execute explained("
                            + String.join(", ", literals) + ")")) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
            statement.execute("deallocate explained");
            return plan.toString();
        }
    }
}
