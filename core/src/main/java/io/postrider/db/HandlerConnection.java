package io.postrider.db;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** The transaction's connection as a handler sees it: it can do anything but end the transaction, which moves the cursor. */
public final class HandlerConnection {
    private static final Set<String> ENDS =
            Set.of("commit", "setAutoCommit", "close", "abort", "setTransactionIsolation");

    private HandlerConnection() {}

    public static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    boolean wholeRollback = method.getName().equals("rollback") && method.getParameterCount() == 0;
                    if (ENDS.contains(method.getName()) || wholeRollback) {
                        throw new SQLException("a handler may not call " + method.getName()
                                + ": Postrider ends the transaction, together with the cursor. Throw to roll back");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
