package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.LiveServer.Reply;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The responses to a client without a token. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class UnauthenticatedPathsTest {
    private static String statusOf(LiveServer server, String path, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).substring(9);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 200",
        "localhost:8080, 200",
        "LOCALHOST, 200",
        "[::1]:80, 200",
        "evil.example, 401",
        "127.0.0.1.evil.example, 401",
        "localhost.evil.example:8080, 401",
        "10.0.0.1, 401"
    })
    void metrics_are_open_to_this_machine_by_its_own_name(String host, String status, TestDatabase database)
            throws IOException {
        try (LiveServer server = LiveServer.on(database)) {
            assertThat(statusOf(server, "/metrics", host)).isEqualTo(status);
            assertThat(statusOf(server, "/health/live", host)).isEqualTo("200");
        }
    }

    @Test
    void the_browser_client_is_sent_as_a_whole_and_not_again_if_it_has_not_changed(TestDatabase database) {
        try (LiveServer server = LiveServer.on(database)) {
            String ranges = "bytes=0-9" + ",0-9".repeat(1_500);
            Reply whole = server.send(server.request(null, "/postrider.js").header("Range", ranges));
            assertThat(whole.status()).isEqualTo(200);
            assertThat(whole.type()).isEqualTo("text/javascript;charset=UTF-8");
            assertThat(whole.text()).contains("export").hasSizeLessThan(30_000);
            String tag = whole.response().headers().firstValue("ETag").orElseThrow();
            assertThat(server.send(server.request(null, "/postrider.js").header("If-None-Match", tag))
                            .status())
                    .isEqualTo(304);
        }
    }

    @Test
    void files_of_the_working_directory_are_not_served(TestDatabase database) throws IOException {
        for (String directory : new String[] {"public", "static", "src/main/webapp"}) {
            Path folder = Path.of(directory);
            boolean made = !Files.exists(folder);
            Files.createDirectories(folder);
            Path file = Files.writeString(folder.resolve("canary-4711.txt"), "canary");
            try (LiveServer server = LiveServer.on(database)) {
                assertThat(server.get(null, "/canary-4711.txt").status())
                        .as(directory)
                        .isEqualTo(404);
                assertThat(server.get(null, "/postrider.js").status()).isEqualTo(200);
            } finally {
                Files.delete(file);
                if (made) {
                    Files.delete(folder);
                }
            }
        }
    }
}
