package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tomcat answers a ping with a blocking write. A client that reads no pongs is closed before that holds a worker for long. */
@PostgresTest
@Tag("security")
class UnreadPongsTest {
    private static final int CLIENTS = 20;
    private static final String UPGRADE = "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    private static final String PINGS = ("\u0089\u00fd\0\0\0\0" + "x".repeat(125)).repeat(100);

    /** Sends pings until the server closes the connection; whether it did, within this many of them. */
    private static boolean isClosed(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            OutputStream out = socket.getOutputStream();
            out.write(UPGRADE.getBytes(StandardCharsets.ISO_8859_1));
            try {
                for (int i = 0; i < 5_000; i++) {
                    out.write(PINGS.getBytes(StandardCharsets.ISO_8859_1));
                }
                return false;
            } catch (IOException e) {
                return true;
            }
        }
    }

    private static boolean isInPong(StackTraceElement[] stack) {
        return Arrays.stream(stack).anyMatch(frame -> frame.getMethodName().equals("sendPong"));
    }

    @Test
    void no_worker_waits_long_for_a_client_that_reads_no_pongs(TestDatabase database) throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        Watched watched = new Watched();
        try (LiveServer server = LiveServer.on(database)) {
            List<Future<Boolean>> closed = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) { // fewer than workers: none goes from one client to the next
                closed.add(clients.submit(() -> isClosed(server.port())));
            }
            Await.until("all are closed", () -> {
                watched.look();
                return closed.stream().allMatch(Future::isDone);
            });
            for (Future<Boolean> one : closed) {
                assertThat(one.get()).isTrue();
            }
        } finally {
            clients.shutdownNow();
        }
        assertThat(watched.looks).as("looks at the workers").isGreaterThan(5);
        assertThat(Duration.ofNanos(watched.longest))
                .as("Tomcat waited 1 s for each; this machine stood still for %s ns", watched.pause)
                .isLessThan(Duration.ofMillis(700).plusNanos(watched.pause));
    }

    /** How long workers were seen in one pong, and the longest time between two looks: the delays of the machine are in both. */
    private static final class Watched {
        private final Map<Thread, Long> since = new HashMap<>();
        private long before;
        private long longest;
        private long pause;
        private int looks;

        void look() {
            long now = System.nanoTime();
            pause = looks++ == 0 ? 0 : Math.max(pause, now - before);
            before = now;
            Map<Thread, StackTraceElement[]> stacks = Thread.getAllStackTraces();
            since.keySet().removeIf(thread -> !stacks.containsKey(thread) || !isInPong(stacks.get(thread)));
            stacks.forEach((thread, stack) -> {
                if (isInPong(stack)) {
                    since.putIfAbsent(thread, now);
                }
            });
            for (long began : since.values()) {
                longest = Math.max(longest, now - began);
            }
        }
    }
}
