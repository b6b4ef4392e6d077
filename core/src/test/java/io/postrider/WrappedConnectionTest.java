package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** A data source whose connections hide the driver's own: the node polls, delivers all the same, and says what that costs. */
@Migrated
class WrappedConnectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void a_node_that_cannot_listen_delivers_and_logs_why_and_at_what_cost(TestDatabase database) {
        try (Psql psql = new Psql(database);
                ChildJvm node = ChildJvm.of(Main.class)
                        .withProperty("org.slf4j.simpleLogger.log.io.postrider", "warn")
                        .withArguments(database.jdbcUrl())
                        .start()) {
            node.awaitLine("ready", PATIENCE);
            psql.execute("insert into postrider.event (topic, type, payload) values ('orders', 'a', '{}')");
            node.awaitLine("handled a", PATIENCE);
            Await.until(
                    "it is logged",
                    PATIENCE,
                    () -> node.errors().stream()
                            .anyMatch(line -> line.contains("wire_polls poll_ms=1000 reason=\"the connection is a ")
                                    && line.contains("polls every 25 ms even when idle")));
        }
    }

    @Test
    void the_doctor_warns_with_the_reason_and_the_cost(TestDatabase database) {
        WrappingDataSource wrapping = new WrappingDataSource(database.jdbcUrl());
        List<String> found = new ArrayList<>();
        Postrider.on(wrapping).doctor().examine((check, finding) -> {
            if (check.equals("wake-up")) {
                found.add(finding.level() + " " + finding.text() + " " + finding.advice());
            }
        });
        assertThat(found)
                .singleElement()
                .asString()
                .startsWith("WARN nodes poll instead of listening: the connection is a ");
        assertThat(found).singleElement().asString().contains("events arrive up to 1 s later");
    }

    /** As some tracing and routing data sources do: a connection unwraps to a stand-in for the driver's. */
    static final class WrappingDataSource extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;

        WrappingDataSource(String url) {
            setUrl(url);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return proxy(Connection.class, (method, args) -> {
                if (method.getName().equals("unwrap") && args != null && PGConnection.class.equals(args[0])) {
                    PGConnection postgres = real.unwrap(PGConnection.class);
                    return proxy(PGConnection.class, (inner, values) -> invoke(postgres, inner, values));
                }
                return invoke(real, method, args);
            });
        }

        private interface Handler {
            @Nullable
            Object handle(Method method, Object @Nullable [] args) throws Throwable;
        }

        private static <T> T proxy(Class<T> type, Handler handler) {
            return type.cast(Proxy.newProxyInstance(
                    WrappedConnectionTest.class.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, args) -> handler.handle(method, args)));
        }

        private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] args)
                throws Throwable {
            try {
                return method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** A node: {@code Main <jdbc url>}. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws InterruptedException {
            try (Postrider postrider = Postrider.on(new WrappingDataSource(args[0]), Options.defaults())) {
                postrider.add(Listener.relay("relay", "orders", event -> System.out.println("handled " + event.type()))
                        .withStart(StartPoint.beginning()));
                postrider.start();
                System.out.println("ready");
                new CountDownLatch(1).await();
            }
        }
    }
}
