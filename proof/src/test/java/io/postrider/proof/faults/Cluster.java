package io.postrider.proof.faults;

import io.postrider.testkit.Await;
import io.postrider.testkit.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A cluster of the machine's own PostgreSQL, for what the embedded one has no programs for: dump, base backup, standby,
 * upgrade, and transaction numbers of our choice. Its server goes when this JVM does.
 */
final class Cluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Stops the server when our end of the pipe is closed, be it by kill -9. */
    private static final String KEEPER =
            "\"$@\" </dev/null >&2 & p=$!; echo $p; cat >/dev/null; kill -QUIT $p; wait $p";

    /** Mounts a file system that the server alone sees and that goes when it ends. PostgreSQL itself refuses root. */
    private static final String MOUNT =
            "mount -t tmpfs -o mode=700,size=$1 tmpfs \"$2\" && shift 2 && exec unshare -U \"$@\"";

    private final Path directory;
    private final int port;
    private String diskSize = "";
    private Process keeper;

    private Cluster(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    /** An empty one, stopped. Its files are not flushed: nobody pulls the plug here. */
    static Cluster make(String... settings) throws Exception {
        return makeAt(Ports.free(), settings);
    }

    /** The same, on a port of the caller's choice. */
    static Cluster makeAt(int port, String... settings) throws Exception {
        Cluster cluster = new Cluster(newDirectory(), port);
        run("initdb", "-D", cluster.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync");
        cluster.set(
                "fsync = off", "autovacuum = off", "max_connections = 60", "max_wal_size = 2GB", "hot_standby = on");
        cluster.set(settings);
        return cluster;
    }

    /** A standby of a running one, stopped, that follows it through a port. */
    static Cluster standbyOf(Cluster primary, int throughPort) throws Exception {
        return standbyOf(primary, throughPort, Ports.free());
    }

    /** The same, on a port of the caller's choice. */
    static Cluster standbyOf(Cluster primary, int throughPort, int port) throws Exception {
        Cluster standby = new Cluster(newDirectory(), port);
        run(
                "pg_basebackup",
                "-D",
                standby.data(),
                "-h",
                "127.0.0.1",
                "-p",
                primary.port + "",
                "-U",
                "postgres",
                "-X",
                "stream",
                "-c",
                "fast",
                "--no-sync");
        standby.set("primary_conninfo = 'host=127.0.0.1 port=" + throughPort + " user=postgres'");
        standby.standBy();
        return standby;
    }

    /** From its next start on it only reads, until somebody promotes it. */
    void standBy() throws IOException {
        Files.createFile(Path.of(data(), "standby.signal"));
    }

    Cluster start() throws Exception {
        set("port = " + port, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''");
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, "sh"));
        if (diskSize.isEmpty()) {
            command.addAll(disguised(program("postgres"), "-D", data()));
        } else {
            command.addAll(List.of("unshare", "-rm", "/bin/sh", "-c", MOUNT, "sh", diskSize, disk()));
            command.addAll(List.of(program("postgres"), "-D", data()));
        }
        keeper = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
        try (BufferedReader reader = keeper.inputReader(StandardCharsets.US_ASCII)) {
            reader.readLine();
        }
        Await.until("the server answers, see " + directory.resolve("log"), PATIENCE, () -> {
            try (Connection connection = dataSource("postgres").getConnection()) {
                return connection.isValid(5);
            }
        });
        return this;
    }

    /** From its next start on the server has a second disk of this size, empty and in memory, for a tablespace. */
    Cluster withDisk(String size) throws IOException {
        diskSize = size;
        Files.createDirectory(Path.of(disk()));
        return this;
    }

    /** Where the second disk is mounted. */
    String disk() {
        return directory.resolve("disk").toString();
    }

    /** A clean end. */
    void stop() throws Exception {
        end("fast");
    }

    /** An end without a word to anybody; the next start recovers. */
    void crash() throws Exception {
        end("immediate");
    }

    private void end(String mode) throws Exception {
        if (keeper != null) {
            run("pg_ctl", "-D", data(), "-w", "-m", mode, "stop");
            keeper.getOutputStream().close();
            keeper.waitFor();
            keeper = null;
        }
    }

    /** Lets a stopped cluster number its transactions from elsewhere: the options of pg_resetwal. */
    void reset(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("-D", data()));
        words.addAll(List.of(options));
        run("pg_resetwal", words.toArray(String[]::new));
    }

    void set(String... settings) throws IOException {
        Files.writeString(
                Path.of(data(), "postgresql.conf"), String.join("\n", settings) + "\n", StandardOpenOption.APPEND);
    }

    String data() {
        return directory.resolve("data").toString();
    }

    int port() {
        return port;
    }

    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres";
    }

    DataSource dataSource(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url(database));
        return dataSource;
    }

    Cluster createDatabase(String name) throws Exception {
        Rows.execute(dataSource("postgres"), "create database " + name);
        return this;
    }

    /** Into a file that pg_restore reads. */
    Path dump(String database) throws Exception {
        Path file = directory.resolve(database + ".dump");
        run("pg_dump", "-Fc", "-h", "127.0.0.1", "-p", port + "", "-U", "postgres", "-f", file.toString(), database);
        return file;
    }

    /** Into an empty database, here or elsewhere. */
    static void restore(Path dump, int port, String password, String database) throws Exception {
        String from = dump.getFileName().toString().replace(".dump", "");
        makeReader(port, password, database, from);
        run(
                List.of("PGPASSWORD=" + password),
                "pg_restore",
                "-h",
                "127.0.0.1",
                "-p",
                port + "",
                "-U",
                "postgres",
                "--exit-on-error",
                "-d",
                database,
                dump.toString());
    }

    /** A dump names roles and does not carry them. */
    private static void makeReader(int port, String password, String database, String from) throws Exception {
        PGSimpleDataSource there = new PGSimpleDataSource();
        there.setUrl("jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres");
        there.setPassword(password);
        Rows.execute(
                there,
                "do $$ begin create role postrider_reader_" + from
                        + " nologin; exception when duplicate_object then null; end $$");
    }

    /** A stopped one of its own, upgraded from this one, which must be stopped too and cannot be used afterwards. */
    Cluster upgraded() throws Exception {
        Cluster upgraded = make();
        run(
                "pg_upgrade",
                "-b",
                programs().toString(),
                "-B",
                programs().toString(),
                "-d",
                data(),
                "-D",
                upgraded.data(),
                "-U",
                "postgres",
                "-s",
                upgraded.directory.toString(),
                "--link");
        return upgraded;
    }

    static void run(String program, String... arguments) throws Exception {
        run(List.of(), program, arguments);
    }

    private static void run(List<String> environment, String program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
        command.addAll(environment);
        List<String> words = new ArrayList<>(List.of(program(program)));
        words.addAll(List.of(arguments));
        command.addAll(disguised(words.toArray(String[]::new)));
        Path here = newDirectory(); // some leave scripts behind
        try {
            Path said = here.resolve("said");
            Process process = new ProcessBuilder(command)
                    .directory(here.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            process.getOutputStream().close();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(words + " failed: " + Files.readString(said));
            }
        } finally {
            delete(here);
        }
    }

    /** Where the newest server's programs are. */
    static Path programs() throws IOException {
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("postgres")))
                    .max(Comparator.comparing(bin ->
                            Integer.parseInt(bin.getParent().getFileName().toString())))
                    .orElseThrow();
        }
    }

    private static String program(String name) throws IOException {
        return programs().resolve(name).toString();
    }

    /** PostgreSQL refuses root. */
    static List<String> disguised(String... words) throws IOException {
        List<String> command = new ArrayList<>();
        if (Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(words));
        return command;
    }

    private static Path newDirectory() throws IOException {
        return Files.createTempDirectory("postrider-cluster");
    }

    @Override
    public void close() throws Exception {
        end("immediate");
        delete(directory);
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
