package io.postrider.testkit.program;

import io.postrider.testkit.Await;
import io.postrider.testkit.Ports;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A PgBouncer in transaction mode in front of one database: a client has a session for one transaction only. */
public final class PgBouncer implements AutoCloseable {
    private final TestDatabase database;
    private final Path directory;
    private final int port;
    private final Process process;

    private PgBouncer(TestDatabase database, Path directory, int port, Process process) {
        this.database = database;
        this.directory = directory;
        this.port = port;
        this.process = process;
    }

    /** Starts it. */
    public static PgBouncer before(TestDatabase database, int poolSize) throws IOException {
        Path directory = Files.createTempDirectory("postrider-pgbouncer");
        int port = Ports.free();
        Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), """
                [databases]
                %s = host=127.0.0.1 port=%d user=%s password=%s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = %d
                max_client_conn = 100
                ignore_startup_parameters = extra_float_digits, options
                """.formatted(
                        database.name(),
                        database.server().port(),
                        database.server().user(),
                        database.server().password(),
                        port,
                        poolSize));
        // Ends with this JVM, however that ends: the pipe is closed then.
        List<String> command = new ArrayList<>(
                List.of("/bin/sh", "-c", "\"$@\" </dev/null & p=$!; cat >/dev/null; kill -INT $p; wait $p", "sh"));
        if (Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            command.addAll(List.of("unshare", "-U")); // it refuses root
        }
        command.addAll(List.of("/usr/sbin/pgbouncer", settings.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        PgBouncer pooler = new PgBouncer(database, directory, port, process);
        Await.until("PgBouncer answers", Duration.ofSeconds(60), () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException(Files.readString(directory.resolve("log")));
            }
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            }
        });
        return pooler;
    }

    /** Version 1.18 cannot carry named statements, so the driver must not make any. */
    public String url() {
        return database.jdbcUrl(port) + "&prepareThreshold=0";
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.waitFor();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
