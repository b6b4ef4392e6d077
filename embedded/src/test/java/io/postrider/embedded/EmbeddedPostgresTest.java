package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Tag("security")
class EmbeddedPostgresTest {

    private static final EmbeddedPostgresOptions DEFAULTS = EmbeddedPostgresOptions.defaults();

    @TempDir
    Path temp;

    @Test
    void it_is_durable_private_and_the_version_asked_for() throws SQLException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS)) {
            assertThat(one(postgres, "show fsync")).isEqualTo("on");
            assertThat(one(postgres, "show synchronous_commit")).isEqualTo("on");
            assertThat(one(postgres, "show full_page_writes")).isEqualTo("on");
            assertThat(one(postgres, "show listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(one(postgres, "show unix_socket_directories")).isEmpty();
            assertThat(one(postgres, "show server_encoding")).isEqualTo("UTF8");
            assertThat(one(postgres, "show server_version"))
                    .isEqualTo(postgres.version())
                    .startsWith("18.");
            assertThat(one(postgres, "select count(*) from pg_hba_file_rules where auth_method <> 'scram-sha-256'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void nobody_gets_in_without_the_password() {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS)) {
            String open = postgres.jdbcUrl("postgres").replaceFirst("password=.*", "password=guess");
            assertThatThrownBy(() -> DriverManager.getConnection(open).close())
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        }
    }

    @Test
    void settings_reach_the_server_and_alter_system_still_has_the_last_word() throws SQLException {
        EmbeddedPostgresOptions options = DEFAULTS.withSetting("work_mem", "7MB")
                .withSetting("max_connections", "17")
                .withSetting("application_name", "it's a \\ test");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(options)) {
            assertThat(one(postgres, "show work_mem")).isEqualTo("7MB");
            assertThat(one(postgres, "show max_connections")).isEqualTo("17");
            assertThat(one(postgres, "select reset_val from pg_settings where name = 'application_name'"))
                    .isNotNull();
            execute(postgres, "alter system set work_mem = '9MB'");
            execute(postgres, "select pg_reload_conf()");
            assertThat(Processes.await(() -> one(postgres, "show work_mem").equals("9MB"), Duration.ofSeconds(60)))
                    .isTrue();
        }
    }

    @Test
    void a_temporary_server_leaves_nothing_behind() {
        EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS);
        long pid = postgres.pid();
        Path data = Path.of(one(postgres, "show data_directory"));
        assertThat(data).exists();

        postgres.close();
        postgres.close();

        assertThat(Processes.alive(pid)).isFalse();
        assertThat(data.getParent()).doesNotExist();
        assertThatThrownBy(postgres::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(postgres::pid).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void databases_are_made_copied_and_dropped_with_their_sessions() throws SQLException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS)) {
            postgres.createDatabase("it's \"quoted\"");
            try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("it's \"quoted\""));
                    Statement statement = connection.createStatement()) {
                statement.execute("create table t as select 42 as answer");
            }
            postgres.createDatabase("copy", "it's \"quoted\"");
            try (Connection left = postgres.dataSource("copy").getConnection();
                    Statement statement = left.createStatement();
                    ResultSet rows = statement.executeQuery("select answer from t")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(42);
                postgres.dropDatabase("copy");
                postgres.dropDatabase("copy");
                assertThat(left.isValid(5)).isFalse();
            }
            assertThatThrownBy(() -> postgres.createDatabase("x".repeat(64)))
                    .hasMessageStartingWith("database name must be 1..63 bytes");
            assertThatThrownBy(() -> postgres.createDatabase("postgres"))
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("already exists");
        }
    }

    @Test
    void a_data_directory_is_used_again_with_its_password() throws Exception {
        EmbeddedPostgresOptions options = DEFAULTS.withDataDirectory(temp.resolve("data"));
        String password;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(options)) {
            execute(postgres, "create table kept as select 7 as x");
            password = postgres.password();
        }
        Path kept = temp.resolve("data/password");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temp.resolve("data"))))
                .isEqualTo("rwx------");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(options)) {
            assertThat(one(postgres, "select x from kept")).isEqualTo("7");
            assertThat(postgres.password()).isEqualTo(password);
        }
    }

    @Test
    void a_directory_in_use_is_refused_in_one_line() {
        EmbeddedPostgresOptions options = DEFAULTS.withDataDirectory(temp.resolve("data"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(options)) {
            assertThatThrownBy(() -> EmbeddedPostgres.start(options))
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessage("data directory " + temp.resolve("data") + " is in use by a running server (pid "
                            + postgres.pid() + ", port " + postgres.port()
                            + "): stop it or choose another directory");
            assertThat(one(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void a_directory_of_another_major_or_another_owner_is_refused() throws IOException {
        EmbeddedPostgresOptions options = DEFAULTS.withDataDirectory(temp.resolve("data"));
        EmbeddedPostgres.start(options).close();
        Files.writeString(temp.resolve("data/cluster/PG_VERSION"), "16\n");
        assertThatThrownBy(() -> EmbeddedPostgres.start(options))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("holds PostgreSQL 16, but 18 was asked for");

        Files.createDirectories(temp.resolve("home"));
        Files.writeString(temp.resolve("home/letter.txt"), "dear");
        assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withDataDirectory(temp.resolve("home"))))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("is not empty and was not made by Postrider");
    }

    @Test
    void what_is_committed_survives_a_kill_and_the_port_stays() throws SQLException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS)) {
            int port = postgres.port();
            execute(postgres, "create table t (x int)");
            try (Connection open = postgres.dataSource("postgres").getConnection();
                    Statement statement = open.createStatement()) {
                long backend;
                try (ResultSet rows = statement.executeQuery("select pg_backend_pid()")) {
                    rows.next();
                    backend = rows.getLong(1);
                }
                long pid = postgres.pid();
                execute(postgres, "insert into t values (1)");
                open.setAutoCommit(false);
                statement.execute("insert into t values (2)");

                postgres.kill();

                assertThat(Processes.alive(pid)).isFalse();
                assertThat(Processes.alive(backend)).isFalse();
                assertThat(postgres.isRunning()).isFalse();
                assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
            }
            postgres.start();
            postgres.start();
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(one(postgres, "select array_agg(x) from t")).isEqualTo("{1}");
        }
    }

    @Test
    void stop_and_restart_keep_data_and_port() throws SQLException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS)) {
            int port = postgres.port();
            long pid = postgres.pid();
            execute(postgres, "create table t as select 1 as x");
            postgres.restart();
            assertThat(postgres.pid()).isNotEqualTo(pid);
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(one(postgres, "select x from t")).isEqualTo("1");
            postgres.stop();
            postgres.stop();
            postgres.kill();
            assertThat(postgres.isRunning()).isFalse();
        }
    }

    @Test
    void a_taken_port_is_named() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withPort(taken.getLocalPort())))
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessage("port " + taken.getLocalPort() + " is taken by another program");
        }
    }

    @Test
    void a_bad_setting_is_told_in_the_server_s_words() {
        assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withSetting("no_such_thing", "1")))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("no_such_thing");
    }

    @Test
    void a_version_that_is_not_there_is_told() {
        assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withVersion("14")))
                .hasMessageContaining("PostgreSQL 14 was asked for, but there is only 18.")
                .hasMessageContaining("withBinaries");
        assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withBinaries(temp.resolve("none.jar"))))
                .hasMessageContaining("none.jar");
    }

    @Test
    void an_installed_server_is_used_where_it_is() throws Exception {
        Path unpacked = Binaries.find(DEFAULTS, Account.current()).home();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS.withBinaries(unpacked))) {
            assertThat(one(postgres, "show server_version")).startsWith("18.");
        }
        assertThatThrownBy(
                        () -> EmbeddedPostgres.start(DEFAULTS.withVersion("15").withBinaries(unpacked)))
                .hasMessageContaining("PostgreSQL 15 was asked for, but " + unpacked + " has 18.");
        assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withBinaries(temp)))
                .hasMessageContaining("bin/postgres");
    }

    /** Kill -9 gives a JVM no chance to clean up, so the server's keeper must: data, and programs if there is no safe cache. */
    @Test
    void the_server_goes_when_its_jvm_is_killed() throws Exception {
        Path everybodys = Files.createDirectory(temp.resolve("cache"));
        Files.setPosixFilePermissions(everybodys, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path tmp = Files.createDirectory(temp.resolve("tmp"));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + tmp,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("XDG_CACHE_HOME", everybodys.toString());
        Process jvm = builder.start();
        try (BufferedReader out = jvm.inputReader(StandardCharsets.UTF_8)) {
            long pid = Long.parseLong(out.readLine());
            Path data = Path.of(out.readLine());
            assertThat(Processes.alive(pid)).isTrue();
            assertThat(data).exists();
            assertThat(programsIn(tmp)).hasSize(1);
            assertThat(everybodys).isEmptyDirectory();

            jvm.destroyForcibly().waitFor();

            assertThat(Processes.await(() -> !Processes.alive(pid), Duration.ofSeconds(60)))
                    .isTrue();
            assertThat(Processes.await(() -> !Files.exists(data), Duration.ofSeconds(60)))
                    .isTrue();
            assertThat(Processes.await(() -> programsIn(tmp).isEmpty(), Duration.ofSeconds(60)))
                    .isTrue();
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** And a JVM that comes at once for the same directory waits for the old server instead of failing. */
    @Test
    void the_next_jvm_takes_over_the_directory_of_a_killed_one() throws Exception {
        Path data = temp.resolve("data");
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        data.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = jvm.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isNotNull();
            assertThatThrownBy(() -> EmbeddedPostgres.start(DEFAULTS.withDataDirectory(data)))
                    .hasMessageContaining("is in use by a running server");
            jvm.destroyForcibly().waitFor();
            try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS.withDataDirectory(data))) {
                assertThat(one(postgres, "select 1")).isEqualTo("1");
            }
        } finally {
            jvm.destroyForcibly();
        }
    }

    @Test
    void root_gives_away_nothing_that_a_link_points_to(@TempDir Path directory) throws Exception {
        boolean root = OwnDirectory.UID == 0;
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Account account = root ? Account.NOBODY : Account.current(); // under which a user's files keep their owner
        Path outside = Files.writeString(directory.resolve("outside"), "root's");
        Path outsideDirectory = Files.createDirectory(directory.resolve("outside-directory"));
        Path inside = Files.writeString(outsideDirectory.resolve("inside"), "root's");
        Path data = Files.createDirectory(directory.resolve("data"));
        Path own = Files.writeString(Files.createDirectory(data.resolve("sub")).resolve("own"), "the server's");
        Files.createSymbolicLink(data.resolve("link"), outside);
        Files.createSymbolicLink(data.resolve("sub").resolve("directory-link"), outsideDirectory);
        account.takeOver(data);
        assertThat(Files.getAttribute(own, "unix:uid")).isEqualTo(root ? 65_534 : self);
        assertThat(Files.getAttribute(data, "unix:uid")).isEqualTo(root ? 65_534 : self);
        // Once it is the account's, it may hold a hard link to a file of root.
        Path linked = Files.createLink(data.resolve("hard-link"), outside);
        account.takeOver(data);
        for (Path kept : List.of(outside, outsideDirectory, inside, linked)) {
            assertThat(Files.getAttribute(kept, "unix:uid")).as(kept.toString()).isEqualTo(self);
        }
    }

    /** Where user namespaces are switched off, root falls back to the account nobody. */
    @Test
    void root_can_also_run_it_as_nobody() throws Exception {
        // A user other than root runs the server under the same account, so there is no fallback.
        boolean root = Account.current() != Account.SELF;
        Account account = root ? Account.NOBODY : Account.SELF;
        Object uid = root ? Integer.valueOf(65_534) : Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(DEFAULTS, account)) {
            assertThat(Files.getAttribute(Path.of("/proc/" + postgres.pid()), "unix:uid"))
                    .isEqualTo(uid);
            // The log, the lock and the settings are written by us, so the server's account must not be able to replace
            // them.
            Path cluster = Path.of(one(postgres, "show data_directory"));
            assertThat(Files.getAttribute(cluster, "unix:uid")).isEqualTo(uid);
            assertThat(Files.getAttribute(cluster.getParent(), "unix:uid"))
                    .isEqualTo(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cluster.getParent())))
                    .isEqualTo(root ? "rwx--x--x" : "rwx------");
            postgres.kill();
            postgres.restart();
            assertThat(one(postgres, "select 1")).isEqualTo("1");
        }
    }

    /** Started in its own JVM: prints the server's pid and its directory, then waits to be killed. */
    static final class Holder {
        public static void main(String[] args) throws Exception {
            EmbeddedPostgresOptions options =
                    args.length == 0 ? DEFAULTS : DEFAULTS.withDataDirectory(Path.of(args[0]));
            try (EmbeddedPostgres postgres = EmbeddedPostgres.start(options)) {
                System.out.println(postgres.pid());
                System.out.println(Path.of(one(postgres, "show data_directory")).getParent());
                new java.util.concurrent.CountDownLatch(1).await();
            }
        }
    }

    private static List<Path> programsIn(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> entry.getFileName().toString().contains("-programs"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String one(EmbeddedPostgres postgres, String sql) {
        try (Connection connection = postgres.dataSource("postgres").getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return String.valueOf(rows.getString(1));
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static void execute(EmbeddedPostgres postgres, String... statements) throws SQLException {
        try (Connection connection = postgres.dataSource("postgres").getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(statements)) {
                statement.execute(sql);
            }
        }
    }
}
