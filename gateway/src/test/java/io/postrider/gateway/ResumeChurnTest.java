package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One user connects with an old position and leaves at once, again and again. */
@PostgresTest
@Timeout(120)
@Tag("security")
class ResumeChurnTest {
    private static final String TOPIC = "chat";
    private static final int LARGE = 40;
    private static final int SMALL = 10;
    private static final int HELLOS = 400;
    private static final Duration SOON = Duration.ofSeconds(3);

    @Test
    void a_user_that_comes_and_goes_without_end_does_not_delay_the_resume_of_another_project(TestDatabase database)
            throws Exception {
        try (Postrider postrider =
                Postrider.on(database.dataSource(), Options.defaults()).migrate()) {
            postrider.add(postrider.eventLog().listener(TOPIC)).start();
            GatewayOptions options = GatewayOptions.of(TOPIC).withRecent(1, 1 << 20);
            try (Served served =
                    new Served(postrider, database.dataSource(), options, new EventLogHistory(postrider.eventLog()))) {
                emit(served);
                churn(served);
                SseClient stream = served.sse(served.token("ann", "p2", USER), "&room=user:ann&position=0");
                Await.until("SSE resumes", SOON, () -> stream.positions().size() == SMALL);
                SocketClient socket = served.socket(served.token("ann", "p2", USER), 0L, "user:ann");
                Await.until("WebSocket resumes", SOON, () -> socket.positions().size() == SMALL);
                assertThat(stream.positions()).isEqualTo(socket.positions()).isSorted();
            }
        }
    }

    private static void emit(Served served) throws Exception {
        String text = "{\"text\":\"" + "x".repeat(250_000) + "\"}";
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < LARGE; i++) {
            events.add(served.event("p1", "bob", text));
        }
        for (int i = 0; i < SMALL; i++) {
            events.add(served.event("p2", "ann", "{\"n\":" + i + "}"));
        }
        events.add(served.event("p3", "eve", "{}"));
        served.emitAll(events);
        served.awaitHub();
        Await.until("all is recorded", () -> served.postrider.eventLog().reached(TOPIC) == events.size());
    }

    private static void churn(Served served) throws Exception {
        byte[] request = request(served.token("bob", "p1", USER));
        ExecutorService clients = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> visits = new ArrayList<>();
            for (int i = 0; i < HELLOS; i++) {
                visits.add(clients.submit(() -> visit(served.port, request)));
            }
            for (Future<?> visit : visits) {
                visit.get();
            }
        } finally {
            clients.shutdownNow();
        }
    }

    /** The handshake and the hello at once. */
    private static byte[] request(String token) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(("GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        byte[] hello = ("{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"" + TOPIC
                        + "\",\"rooms\":[\"user:bob\"],\"position\":0}")
                .getBytes(StandardCharsets.UTF_8);
        request.write(
                new byte[] {(byte) 0x81, (byte) 0xfe, (byte) (hello.length >> 8), (byte) hello.length, 0, 0, 0, 0});
        request.write(hello);
        return request.toByteArray();
    }

    /** Closes as soon as the socket stands. */
    private static Void visit(int port, byte[] request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            assertThat(new String(in.readNBytes(12), StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 101");
            return null;
        }
    }
}
