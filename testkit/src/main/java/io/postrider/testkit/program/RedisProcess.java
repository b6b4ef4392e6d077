package io.postrider.testkit.program;

import io.postrider.testkit.Await;
import io.postrider.testkit.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/**
 * A Redis process with its own port, which can be killed and restarted on the same data. It writes each command to disk before it
 * replies. If this JVM ends for any reason, so does Redis.
 */
public final class RedisProcess implements AutoCloseable {
    private static final String WATCHED = "\"$@\" </dev/null & p=$!; cat >/dev/null; kill -9 $p; wait $p";
    private static final Duration START = Duration.ofSeconds(30);

    private final int port;
    private final Path directory;
    private final List<String> settings;
    private @Nullable String configuration;
    private @Nullable Process process;

    private RedisProcess(List<String> settings) {
        this.settings = settings;
        this.port = Ports.free();
        try {
            this.directory = Files.createTempDirectory("redis-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it with additional settings such as {@code --maxmemory}, {@code 2mb}. */
    public static RedisProcess running(String... settings) {
        RedisProcess redis = new RedisProcess(List.of(settings));
        redis.start();
        return redis;
    }

    /** Starts a sentinel that alone decides when the primary at this port is replaced by a replica: after one second. */
    public static RedisProcess sentinel(String primary, int primaryPort) {
        RedisProcess sentinel = new RedisProcess(List.of());
        sentinel.configuration =
                """
                port %d
                bind 127.0.0.1
                dir %s
                sentinel monitor %s 127.0.0.1 %d 1
                sentinel down-after-milliseconds %s 1000
                sentinel failover-timeout %s 10000
                """.formatted(sentinel.port, sentinel.directory, primary, primaryPort, primary, primary);
        sentinel.start();
        return sentinel;
    }

    public int port() {
        return port;
    }

    /** Starts it again after {@link #kill9}. Returns when it accepts commands. */
    public void start() {
        try {
            List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", WATCHED, "sh"));
            command.add(RedisExecProvider.defaultProvider().get().getAbsolutePath());
            if (configuration != null) {
                Path file = Files.writeString(directory.resolve("sentinel.conf"), configuration);
                command.addAll(List.of(file.toString(), "--sentinel"));
            } else {
                command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", directory.toString()));
                command.addAll(List.of("--appendonly", "yes", "--appendfsync", "always", "--save", ""));
                command.addAll(settings);
            }
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("redis answers", START, () -> {
            String answer = tell("PING");
            return answer.equals("+PONG") || answer.startsWith("-NOAUTH");
        });
    }

    /** Sends a command as typed in a terminal, and returns the first line of the reply. */
    public String tell(String command) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            InputStreamReader answer = new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8);
            return String.valueOf(new BufferedReader(answer).readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same, and returns the whole text of a reply that has several lines. */
    public String tellAll(String command) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String first = String.valueOf(answer.readLine());
            if (!first.startsWith("$")) {
                return first;
            }
            char[] text = new char[Integer.parseInt(first.substring(1))];
            int read = 0;
            while (read < text.length) {
                read += Math.max(0, answer.read(text, read, text.length - read));
            }
            return new String(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SIGKILL. Returns when the process has ended. */
    public void kill9() {
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

    /** SIGSTOP: connections stay open, but nothing is answered. */
    public void freeze() {
        signal("STOP");
    }

    /** SIGCONT. */
    public void thaw() {
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
