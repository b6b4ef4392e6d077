package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.settings.Role;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The roles apart, as processes of their own; either is killed while messages come in. Whatever was acknowledged is in the log
 * once, and recorded once; whatever was not may be there or not.
 */
@PostgresTest
@Tag("slow")
class SplitProcessTest {
    private static final Duration START = Duration.ofSeconds(120);
    private static final int KILLS = 3;
    private static final int WRITERS = 4;

    /** A server in a process of its own; says its port when it is up. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws InterruptedException {
            Map<String, String> settings = new HashMap<>();
            System.getProperties().forEach((key, value) -> {
                if (key.toString().startsWith("given.")) {
                    settings.put(key.toString().substring("given.".length()), value.toString());
                }
            });
            Server server = Server.start(settings);
            System.out.println("port " + server.port());
            new java.util.concurrent.CountDownLatch(1).await();
        }
    }

    private final String secret = LiveServer.newSecret();
    private final String operator =
            LiveServer.mint(secret).issue("root", null, io.postrider.gateway.Identity.Reach.ALL, LiveServer.HOUR);
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(5))
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger sent = new AtomicInteger();

    @Test
    void what_was_acknowledged_is_there_once_whichever_process_was_killed(TestDatabase database) throws Exception {
        ChildJvm worker = child(database, Role.WORKER);
        ChildJvm api = child(database, Role.API);
        AtomicInteger port = new AtomicInteger(port(api));
        port(worker);
        AtomicBoolean running = new AtomicBoolean(true);
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            for (int i = 0; i < WRITERS; i++) {
                writers.execute(() -> write(port, running));
            }
            for (int i = 0; i < KILLS; i++) {
                awaitProgress(200);
                worker.kill9();
                awaitProgress(100); // the API needs nobody else to take messages
                worker = child(database, Role.WORKER);
                port(worker);
                api.kill9();
                api = child(database, Role.API);
                port.set(port(api));
            }
            awaitProgress(200);
            running.set(false);
            writers.shutdown();
            assertThat(writers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            Await.until("all is recorded", START, () -> missing(database) == 0);
            assertThat(number(database, "select count(*) - count(distinct event_id) from postrider.events"))
                    .isZero();
            assertThat(number(database, "select count(*) - count(distinct event_id) from postrider.event_log"))
                    .isZero();
            System.out.println("acknowledged " + acknowledged.size() + " of " + sent + " sent, " + KILLS
                    + " kills of each process, 0 lost");
        } finally {
            running.set(false);
            writers.shutdownNow();
            worker.close();
            api.close();
        }
    }

    private ChildJvm child(TestDatabase database, Role role) {
        ChildJvm.Launch launch = ChildJvm.of(Main.class).withHeap("256m");
        Map<String, String> settings = LiveServer.settings(database, secret);
        settings.put("postrider.roles", role.name().toLowerCase(Locale.ROOT));
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            launch = launch.withProperty("given." + setting.getKey(), setting.getValue());
        }
        return launch.start();
    }

    private static int port(ChildJvm child) {
        return Integer.parseInt(
                child.awaitLine("port ", START).substring("port ".length()).strip());
    }

    private void write(AtomicInteger port, AtomicBoolean running) {
        while (running.get()) {
            String id = java.util.UUID.randomUUID().toString();
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/v1/topics/orders/events"))
                    .timeout(Duration.ofSeconds(60))
                    .header("Authorization", "Bearer " + operator)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"id\":\"" + id
                            + "\",\"type\":\"message\",\"payload\":{\"n\":" + sent.incrementAndGet() + "}}"))
                    .build();
            try {
                HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
                if (response.statusCode() == 201) {
                    acknowledged.add(id);
                }
            } catch (IOException e) {
                // The process was killed: whether it was written is not known.
                Await.until("its successor listens", START, () -> !running.get() || isOpen(port.get()));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private void awaitProgress(int more) {
        int from = acknowledged.size();
        Await.until(more + " more are acknowledged", START, () -> acknowledged.size() >= from + more);
    }

    private long missing(TestDatabase database) throws Exception {
        Set<String> there = ConcurrentHashMap.newKeySet();
        try (Connection connection = database.dataSource().getConnection();
                ResultSet rows =
                        connection.createStatement().executeQuery("select event_id::text from postrider.event_log")) {
            while (rows.next()) {
                there.add(rows.getString(1));
            }
        }
        return acknowledged.stream().filter(id -> !there.contains(id)).count();
    }

    private static long number(TestDatabase database, String sql) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                ResultSet row = connection.createStatement().executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
