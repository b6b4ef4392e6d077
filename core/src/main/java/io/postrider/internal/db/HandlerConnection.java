package io.postrider.internal.db;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The transaction's connection as a handler sees it: it can do anything but end the transaction, which moves the cursor. */
final class HandlerConnection {
    private static final Set<String> ENDS =
            Set.of("commit", "setAutoCommit", "close", "abort", "setTransactionIsolation");

    private HandlerConnection() {}

    /** @param settings is notified of each statement that the handler runs */
    static Connection of(Connection connection, SessionSettings settings) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    boolean wholeRollback = method.getName().equals("rollback") && method.getParameterCount() == 0;
                    if (ENDS.contains(method.getName()) || wholeRollback) {
                        throw new SQLException("a handler may not call " + method.getName()
                                + ": Postrider ends the transaction, together with the cursor. Throw to roll back");
                    }
                    if (method.getName().startsWith("prepare")) {
                        note(settings, arguments);
                    }
                    Object result = invoke(connection, method, arguments);
                    return method.getName().equals("createStatement") && result instanceof Statement statement
                            ? watched(statement, (Connection) proxy, settings)
                            : result;
                });
    }

    /** A statement that reports its SQL before it runs it. */
    private static Statement watched(Statement statement, Connection connection, SessionSettings settings) {
        return (Statement) Proxy.newProxyInstance(
                Statement.class.getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        return connection;
                    }
                    note(settings, arguments);
                    return invoke(statement, method, arguments);
                });
    }

    private static void note(SessionSettings settings, @Nullable Object @Nullable [] arguments) throws SQLException {
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
            settings.note(sql);
        }
    }

    private static @Nullable Object invoke(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
