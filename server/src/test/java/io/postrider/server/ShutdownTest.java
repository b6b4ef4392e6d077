package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Fate;
import io.postrider.Worker;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A server that is told to end does so in order, and within the time that whoever tells it gives it. */
@PostgresTest
@Tag("slow")
class ShutdownTest {
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final CountDownLatch begun = new CountDownLatch(1);

    @Configuration(proxyBeanMethods = false)
    static class Slow {
        /** Ends when it is interrupted, and not before. */
        @Bean
        Worker slow() {
            return Worker.on("slow").handling("sleep", job -> {
                begun.countDown();
                new CountDownLatch(1).await();
                return Fate.done();
            });
        }
    }

    @Test
    void streams_are_told_with_their_position_jobs_are_handed_back_and_the_port_is_closed(TestDatabase database)
            throws Exception {
        LiveServer server = LiveServer.on(database, Slow.class);
        String operator = server.operator();
        int port = server.port();
        String job = server.post(operator, "/v1/queues/slow/jobs", "{\"type\":\"sleep\",\"payload\":1}")
                .json()
                .path("id")
                .asString();
        server.post(operator, "/v1/topics/orders/events", "{\"type\":\"t\",\"payload\":1,\"project_id\":\"p\"}");
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        HttpResponse<InputStream> stream = server.client()
                .send(
                        server.request(operator, "/v1/stream?topic=orders&room=project:p&position=0")
                                .build(),
                        BodyHandlers.ofInputStream());
        assertThat(stream.statusCode()).isEqualTo(200);
        BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8));
        readUntil(lines, "event: event");

        long began = System.nanoTime();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
        String rest = readToEnd(lines);
        closing.get(60 + GRACE.toSeconds(), TimeUnit.SECONDS);
        Duration took = Duration.ofNanos(System.nanoTime() - began);

        assertThat(rest).contains("event: cut", "\"reason\":\"closing\"", "\"position\":1");
        assertThat(took).isLessThan(GRACE);
        Await.until("no session is left", () -> database.sessions().isEmpty());
        try (Connection connection = database.dataSource().getConnection();
                ResultSet row = connection
                        .createStatement()
                        .executeQuery("select state, attempt_count, waits_for from postrider.jobs where id = '" + job
                                + "'")) {
            row.next();
            assertThat(row.getString("state")).isEqualTo("PENDING");
            assertThat(row.getInt("attempt_count"))
                    .as("an attempt that the shutdown ended does not count")
                    .isZero();
            assertThat(row.getString("waits_for")).isEqualTo("returned");
        }
        assertThatThrownBy(() -> new Socket("127.0.0.1", port).close()).isInstanceOf(ConnectException.class);
    }

    private static void readUntil(BufferedReader lines, String wanted) throws Exception {
        String line = lines.readLine();
        while (line != null && !line.equals(wanted)) {
            line = lines.readLine();
        }
        assertThat(line).isEqualTo(wanted);
    }

    private static String readToEnd(BufferedReader lines) throws Exception {
        StringBuilder all = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            all.append(line).append('\n');
        }
        return all.toString();
    }
}
