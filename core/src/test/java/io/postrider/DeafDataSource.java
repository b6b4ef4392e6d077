package io.postrider;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** One whose connections can be lost after the server has done what it was told, and before the answer is heard. */
public final class DeafDataSource extends DelegatingDataSource {
    private final Set<String> statements = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private final AtomicInteger lost = new AtomicInteger();

    public DeafDataSource(DataSource to) {
        super(to);
    }

    /** The answer to the next statement of this name is not heard. */
    public void loseAnswerTo(String statement) {
        statements.add("/* postrider:" + statement + " */");
    }

    /** The answer to the next commit of the calling thread is not heard. */
    public void loseCommitOfThisThread() {
        threads.add(Thread.currentThread());
    }

    /** The answer to the next commit of the thread of this name is not heard. */
    public void loseCommitOf(String thread) {
        names.add(thread);
    }

    /** The same, and then the thread gets no connection before the latch is open. */
    public void loseCommitOf(String thread, CountDownLatch until) {
        held.put(thread, until);
        names.add(thread);
    }

    /** How many answers were not heard. */
    public int lost() {
        return lost.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        awaitTurn(Thread.currentThread().getName());
        Connection connection = super.getConnection();
        return proxy(Connection.class, (method, arguments) -> {
            Object result = call(connection, method, arguments);
            if (method.getName().equals("commit") && isDeaf(Thread.currentThread())) {
                throw lose(connection);
            }
            return result instanceof PreparedStatement statement
                    ? listening(connection, statement, String.valueOf(arguments[0]))
                    : result;
        });
    }

    private void awaitTurn(String thread) throws SQLException {
        CountDownLatch until = names.contains(thread) ? null : held.get(thread);
        try {
            if (until != null && !until.await(60, TimeUnit.SECONDS)) {
                throw new SQLException("held back for a minute", "08001");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", "08001", e);
        }
    }

    private boolean isDeaf(Thread thread) {
        return threads.remove(thread) || names.remove(thread.getName());
    }

    private PreparedStatement listening(Connection connection, PreparedStatement statement, String text) {
        return proxy(PreparedStatement.class, (method, arguments) -> {
            Object result = call(statement, method, arguments);
            if (method.getName().startsWith("execute") && statements.removeIf(name -> text.contains(name))) {
                throw lose(connection);
            }
            return result;
        });
    }

    private SQLException lose(Connection connection) throws SQLException {
        lost.incrementAndGet();
        connection.close();
        return new SQLException("the line was cut", "08006");
    }

    private interface Call {
        Object to(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> call.to(method, arguments)));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
