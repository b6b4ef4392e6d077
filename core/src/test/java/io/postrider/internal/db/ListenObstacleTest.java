package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Connections on which notifications cannot be filtered: nobody may listen there, and the reason is named. */
@PostgresTest
class ListenObstacleTest {
    @Test
    void a_connection_that_can_be_filtered_has_no_obstacle(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            NotificationWait wait = new NotificationWait(connection, connection.unwrap(PGConnection.class));
            assertThat(wait.canListen()).isTrue();
            assertThat(wait.obstacle()).isEmpty();
        }
    }

    @Test
    void a_wrapped_connection_is_named_by_its_class(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            PGConnection wrapped = wrapped(connection.unwrap(PGConnection.class));
            NotificationWait wait = new NotificationWait(connection, wrapped);
            assertThat(wait.canListen()).isFalse();
            assertThat(wait.obstacle())
                    .startsWith("the connection is a ")
                    .contains(wrapped.getClass().getName());
            assertThat(wait.await(Duration.ofMillis(1))).isEmpty();
        }
    }

    /** As with another version of the driver, or where reflection is forbidden. */
    @Test
    void a_driver_that_hides_its_stream_is_named_with_its_version(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            NotificationWait wait =
                    new NotificationWait(connection, connection.unwrap(PGConnection.class), "renamedStream");
            assertThat(wait.canListen()).isFalse();
            assertThat(wait.obstacle())
                    .startsWith("pgjdbc " + connection.getMetaData().getDriverVersion() + " ")
                    .contains("NoSuchFieldException: renamedStream");
        }
    }

    private static PGConnection wrapped(PGConnection postgres) {
        return (PGConnection) Proxy.newProxyInstance(
                ListenObstacleTest.class.getClassLoader(),
                new Class<?>[] {PGConnection.class},
                (proxy, method, args) -> {
                    try {
                        return method.invoke(postgres, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
