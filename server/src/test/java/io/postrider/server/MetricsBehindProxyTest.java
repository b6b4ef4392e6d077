package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A proxy on the same machine that sends Host: localhost does not make the metrics public. */
@PostgresTest
@Tag("security")
class MetricsBehindProxyTest {
    @Test
    void a_request_that_a_proxy_passed_on_is_not_local(TestDatabase database) throws IOException {
        try (LiveServer server = LiveServer.on(database)) {
            assertThat(status(server, "")).isEqualTo("HTTP/1.1 200");
            for (String header : List.of(
                    "Forwarded: for=192.0.2.1",
                    "X-Forwarded-For: 192.0.2.1",
                    "x-forwarded-proto: https",
                    "X-Real-IP: 192.0.2.1",
                    "Via: 1.1 proxy")) {
                assertThat(status(server, header + "\r\n")).as(header).isEqualTo("HTTP/1.1 401");
            }
        }
    }

    private static String status(LiveServer server, String header) throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            return http.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + header + "\r\n")
                    .readToEnd()
                    .substring(0, 12);
        }
    }
}
