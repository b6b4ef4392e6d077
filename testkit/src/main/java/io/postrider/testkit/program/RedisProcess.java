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

    public int port() {
        return port;
    }

    /** Starts it again after {@link #kill9}. Returns when it accepts commands. */
    public void start() {
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
