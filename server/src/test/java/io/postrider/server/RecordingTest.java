package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Every topic is recorded as it appears, whatever another one is like. */
@PostgresTest
@Timeout(120)
@Tag("security")
class RecordingTest {
    @Test
    void a_topic_that_cannot_be_recorded_keeps_no_other_from_it(TestDatabase database) throws Exception {
        Postrider.on(database.dataSource()).migrate();
        execute(
                database,
                "insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                        + " values ('event_log:a', 'elsewhere', 'transactional', 'park', 1, 1)");
        try (LiveServer server = LiveServer.on(database)) {
            for (String topic : List.of("a", "b", "t".repeat(100), "z")) {
                assertThat(server.post(
                                        server.operator(),
                                        "/v1/topics/" + topic + "/events",
                                        "{\"type\":\"t\",\"payload\":1}")
                                .status())
                        .isEqualTo(201);
            }
            for (String topic : List.of("b", "t".repeat(100), "z")) {
                Await.until(
                        "topic " + topic + " is recorded",
                        Duration.ofSeconds(60),
                        () -> server.get(server.operator(), "/v1/topics/" + topic + "/events")
                                .text()
                                .contains("\"position\":1"));
            }
            assertThat(server.get(server.operator(), "/v1/topics/a/events").text())
                    .as("the control")
                    .doesNotContain("\"position\":1");
        }
    }

    @Test
    void a_topic_beyond_the_limit_is_logged_once_and_its_reads_say_so(TestDatabase database) throws Exception {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.event-log.topic-limit", "2"))) {
            ListAppender<ILoggingEvent> log = new ListAppender<>();
            log.start();
            ((Logger) LoggerFactory.getLogger(Recording.class)).addAppender(log);
            emit(server, "orders"); // the gateway serves it, so it is recorded first
            emit(server, "a");
            Await.until(
                    "a is recorded",
                    Duration.ofSeconds(60),
                    () -> server.get(server.operator(), "/v1/topics/a/events")
                            .text()
                            .contains("\"position\":1"));
            execute(database, "select postrider.emit('b', 't', '1')");
            Await.until("it is logged", Duration.ofSeconds(60), () -> !log.list.isEmpty());
            emit(server, "c");
            assertThat(server.get(server.operator(), "/v1/topics/b/events").status())
                    .as("a new topic may still be recorded")
                    .isEqualTo(200);
            Await.until("b and c have positions, from a minute ago", Duration.ofSeconds(60), () -> {
                execute(database, "update postrider.pass set at = at - interval '1 minute'");
                return server.get(server.operator(), "/v1/topics/b/events").status() == 409
                        && server.get(server.operator(), "/v1/topics/c/events").status() == 409;
            });
            assertThat(server.get(server.operator(), "/v1/topics/b/events").text())
                    .contains("not recorded in the event log", "postrider.event-log.topic-limit");
            for (String path :
                    List.of("counts?topic=b", "totals?topic=b", "latest?topic=b&aggregate_type=x&aggregate_id=y")) {
                assertThat(server.get(server.operator(), "/v1/analytics/" + path)
                                .status())
                        .as(path)
                        .isEqualTo(409);
            }
            assertThat(server.get(server.operator(), "/v1/topics/a/events?after=1")
                            .status())
                    .isEqualTo(200);
            assertThat(server.get(server.operator(), "/v1/topics/nobody/events").status())
                    .isEqualTo(200);
            assertThat(log.list).singleElement().satisfies(line -> {
                assertThat(line.getLevel()).isEqualTo(Level.WARN);
                assertThat(line.getFormattedMessage())
                        .contains("recording_full limit=2 topic=b", "postrider.event-log.topic-limit");
            });
        }
    }

    private static void execute(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void emit(LiveServer server, String topic) {
        assertThat(server.post(server.operator(), "/v1/topics/" + topic + "/events", "{\"type\":\"t\",\"payload\":1}")
                        .status())
                .isEqualTo(201);
    }
}
