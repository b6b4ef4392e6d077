package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every topic is recorded as it appears, whatever another one is like. */
@PostgresTest
@Timeout(120)
class RecordingTest {
    @Test
    void a_topic_that_cannot_be_recorded_keeps_no_other_from_it(TestDatabase database) throws Exception {
        Postrider.on(database.dataSource()).migrate();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into postrider.listener (name, topic, kind, policy, batch, attempts)"
                    + " values ('event_log:a', 'elsewhere', 'transactional', 'park', 1, 1)");
        }
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
}
