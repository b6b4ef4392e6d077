package io.postrider.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.postrider.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/**
 * A Redis process on a port of its own, to be killed and started again on the same data. It writes each command to its disk before
 * it answers. If this JVM dies, by whatever means, so does Redis.
 */
final class RealRedis implements AutoCloseable {
    private static final String WATCHED = "\"$@\" </dev/null & p=$!; cat >/dev/null; kill -9 $p; wait $p";
    private static final RedisClient OPERATOR = RedisClient.create(); // its threads are daemons
    private static final Duration START = Duration.ofSeconds(30);

    private final int port;
    private final Path directory;
    private final List<String> settings;
    private @Nullable Process process;

    private RealRedis(List<String> settings) {
        this.settings = settings;
        try (ServerSocket free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
            this.directory = Files.createTempDirectory("redis-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Started, with more settings such as {@code --maxmemory}, {@code 2mb}. */
    static RealRedis running(String... settings) {
        RealRedis redis = new RealRedis(List.of(settings));
        redis.start();
        return redis;
    }

    int port() {
        return port;
    }

    RedisOptions options() {
        return RedisOptions.at("127.0.0.1", port);
    }

    void start() {
        try {
            List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", WATCHED, "sh"));
            command.add(RedisExecProvider.defaultProvider().get().getAbsolutePath());
            command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", directory.toString()));
            command.addAll(List.of("--appendonly", "yes", "--appendfsync", "always", "--save", ""));
            command.addAll(settings);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("redis answers", START, () -> answers());
    }

    private boolean answers() throws IOException {
        try (var socket = new java.net.Socket("127.0.0.1", port)) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("PING\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            byte[] reply = socket.getInputStream().readNBytes(5);
            String text = new String(reply, java.nio.charset.StandardCharsets.US_ASCII);
            return text.equals("+PONG") || text.equals("-NOAU");
        }
    }

    /** SIGKILL. Returns when it is gone. */
    void kill9() {
        Process running = process;
        if (running == null) {
            return;
        }
        try {
            running.getOutputStream().close();
            running.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process = null;
    }

    /** SIGSTOP: connections stay, and nothing is answered. */
    void freeze() {
        signal("STOP");
    }

    /** SIGCONT. */
    void thaw() {
        signal("CONT");
    }

    private void signal(String signal) {
        ProcessHandle server = Objects.requireNonNull(process)
                .descendants()
                .filter(child -> child.info().command().orElse("").contains("redis-server"))
                .findFirst()
                .orElseThrow();
        try {
            int exit = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + server.pid())
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("cannot send SIG" + signal);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As an operator would with redis-cli. */
    <T> T cli(Function<RedisCommands<String, String>, T> command) {
        return cli(options(), command);
    }

    <T> T cli(String password, Function<RedisCommands<String, String>, T> command) {
        return cli(options().withPassword(password), command);
    }

    private <T> T cli(RedisOptions options, Function<RedisCommands<String, String>, T> command) {
        try (StatefulRedisConnection<String, String> connection = OPERATOR.connect(options.uri("operator"))) {
            return command.apply(connection.sync());
        }
    }

    @Override
    public void close() {
        kill9();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
