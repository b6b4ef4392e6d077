package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that one user keeps open do not make the writes of others fail. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class HeldBodiesTest {
    private static final int SENT = 310_000;
    private static final String EVENT = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(200_000) + "\"}";
    private static LiveServer server;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(
                database, Map.of("postrider.http.body-timeout", "1m", "postrider.api.user-topics", "orders"));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static String unfinished(String path, String token) {
        return "POST " + path
                + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token
                + "\r\nContent-Length: " + (SENT + 1) + "\r\n\r\n" + "x".repeat(SENT);
    }

    private static double readingBytes() {
        return server.server()
                .bean(MeterRegistry.class)
                .get("postrider_http_reading_bytes")
                .gauge()
                .value();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/topics/others/events", "/v1/queues/mail/jobs"})
    void a_user_without_the_right_to_write_is_refused_before_the_body_is_read(String path) throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            assertThat(http.send(unfinished(path, server.user("ann", "acme"))).readUntil("\r\n"))
                    .startsWith("HTTP/1.1 403");
        }
    }

    @Test
    void a_user_without_a_project_is_refused_before_the_body_is_read() throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            assertThat(http.send(unfinished("/v1/topics/orders/events", server.user("ann", null)))
                            .readUntil("\r\n"))
                    .startsWith("HTTP/1.1 403");
        }
    }

    @Test
    void bodies_that_one_user_keeps_open_leave_room_for_others() throws IOException {
        double share = Runtime.getRuntime().maxMemory() / 32.0;
        List<RawHttp> open = new ArrayList<>();
        try {
            String begin = unfinished("/v1/topics/orders/events", server.user("ann", "acme"));
            for (int i = 0; i < share / SENT + 10; i++) {
                RawHttp http = RawHttp.to(server);
                open.add(http);
                try {
                    http.send(begin);
                } catch (IOException e) {
                    // refused and closed already
                }
            }
            Await.until("the share is used up", Duration.ofSeconds(30), () -> readingBytes() > share - 2 * SENT);
            assertThat(readingBytes()).isLessThanOrEqualTo(share);
            for (String other : List.of(server.user("bob", "acme"), server.user("ann", "other"), server.operator())) {
                assertThat(server.post(other, "/v1/topics/orders/events", EVENT).status())
                        .isEqualTo(201);
            }
        } finally {
            for (RawHttp http : open) {
                http.close();
            }
        }
        Await.until("all of it is released", Duration.ofSeconds(30), () -> readingBytes() == 0);
    }
}
