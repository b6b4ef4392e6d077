package io.postrider.testkit;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The PostgreSQL server that all tests of a JVM share: starting one takes a second, a database in it 20 to 40 ms. It starts on
 * first use and stops with the JVM.
 *
 * <p>{@code -Dpostrider.test.postgres=14} selects a major version other than 18. Its binaries are then expected as {@code 14.jar}
 * in the directory {@code -Dpostrider.test.binaries}. {@code -Dpostrider.test.postgres=debian} uses the newest server in
 * {@code /usr/lib/postgresql}, with its defaults: unlike the embedded one it has LLVM and {@code jit = on}.
 * {@code -Dpostrider.test.jit=always} makes it compile every query, and {@code optimized} with inlining and optimization, which
 * takes ten times as long. With {@code -Dpostrider.test.fsync=off} the shared server does not wait for the disk.
 *
 * <p>A test that stops or kills its server, or counts what the whole server does, starts its own with {@link #options}.
 */
public final class TestServer {

    private static final String DEFAULT_MAJOR = "18";
    private static final String DEBIAN = "debian";
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long MEMORY_NEEDED = 6L << 30;

    private TestServer() {}

    /** The shared server. Do not stop it. */
    public static EmbeddedPostgres postgres() {
        return Shared.POSTGRES;
    }

    /** The major version that the tests run on. */
    public static int major() {
        return isDebian() ? Integer.parseInt(debian().getFileName().toString()) : Integer.parseInt(chosen());
    }

    /**
     * Options for a server that a test starts itself: the version under test, with the settings for prepared
     * transactions and logical decoding, and otherwise its defaults.
     */
    public static EmbeddedPostgresOptions options() {
        if (isDebian()) {
            return withChosenJit(debianOptions());
        }
        EmbeddedPostgresOptions options = withChosenJit(withNeeds(chosen()));
        return chosen().equals(DEFAULT_MAJOR) ? options : options.withBinaries(binaries());
    }

    /** The same on Debian's server, regardless of the server of the other tests. */
    public static EmbeddedPostgresOptions debianOptions() {
        return withNeeds(debian().getFileName().toString()).withBinaries(debian());
    }

    private static EmbeddedPostgresOptions withNeeds(String major) {
        return EmbeddedPostgresOptions.defaults()
                .withVersion(major)
                .withSetting("max_connections", "200")
                .withSetting("max_prepared_transactions", "50")
                .withSetting("wal_level", "logical");
    }

    /** The directory of the newest server that the distribution has installed. It has LLVM, like most servers in production. */
    private static Path debian() {
        try (Stream<Path> versions = Files.list(INSTALLED)) {
            return versions.filter(version -> Files.isExecutable(version.resolve("bin/postgres")))
                    .max(Comparator.comparing(
                            version -> Integer.parseInt(version.getFileName().toString())))
                    .orElseThrow(() -> new IllegalStateException("no bin/postgres in a version of " + INSTALLED));
        } catch (IOException e) {
            throw new UncheckedIOException("no PostgreSQL in " + INSTALLED + ": apt-get install postgresql", e);
        }
    }

    /** Makes the server compile every query, about 5 ms each. The server must have LLVM. */
    public static EmbeddedPostgresOptions compilingAlways(EmbeddedPostgresOptions options) {
        return options.withSetting("jit_above_cost", "0");
    }

    private static EmbeddedPostgresOptions withChosenJit(EmbeddedPostgresOptions options) {
        String jit = System.getProperty("postrider.test.jit", "");
        return switch (jit) {
            case "" -> options;
            case "always" -> compilingAlways(options);
            case "optimized" ->
                compilingAlways(options)
                        .withSetting("jit_inline_above_cost", "0")
                        .withSetting("jit_optimize_above_cost", "0");
            default ->
                throw new IllegalArgumentException("postrider.test.jit must be empty, always or optimized, was " + jit);
        };
    }

    private static String chosen() {
        return System.getProperty("postrider.test.postgres", DEFAULT_MAJOR);
    }

    private static boolean isDebian() {
        return chosen().equals(DEBIAN);
    }

    /** Whether the shared server waits for the disk, which would take half of the time of a test run. */
    static boolean waitsForDisk() {
        return System.getProperty("postrider.test.fsync", "on").equals("on");
    }

    /**
     * A copy of the template is 600 files: 155 ms of processor time on ext4, 16 ms in memory. So without fsync the data is kept
     * in memory, if there is room for the largest tests.
     */
    private static EmbeddedPostgresOptions sharedOptions() {
        if (waitsForDisk()) {
            return options();
        }
        EmbeddedPostgresOptions options = options().withSetting("fsync", "off").withSetting("full_page_writes", "off");
        boolean fits = Files.isDirectory(MEMORY) && MEMORY.toFile().getUsableSpace() >= MEMORY_NEEDED;
        return fits ? options.withTemporaryParent(MEMORY) : options;
    }

    private static Path binaries() {
        Path jar = Path.of(System.getProperty("postrider.test.binaries", "."), major() + ".jar");
        if (!Files.exists(jar)) {
            throw new IllegalStateException("no binaries of PostgreSQL " + major() + " at " + jar.toAbsolutePath()
                    + ": run ./test --postgres " + major() + ", or mvn -pl proof dependency:copy@postgres-binaries");
        }
        return jar;
    }

    private static final class Shared {
        static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            EmbeddedPostgres postgres = EmbeddedPostgres.start(sharedOptions());
            requireJit(postgres);
            // The server would stop without this too, but only after the JVM, which slows down the start of the next
            // one.
            Runtime.getRuntime().addShutdownHook(new Thread(postgres::close, "test-server-close"));
            return postgres;
        }

        /** Fails a run that should use JIT but cannot, because it would pass for the wrong reason. */
        private static void requireJit(EmbeddedPostgres postgres) {
            if (System.getProperty("postrider.test.jit", "").isEmpty()) {
                return;
            }
            try (Connection connection = postgres.dataSource(postgres.user()).getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery("select pg_jit_available()")) {
                result.next();
                if (!result.getBoolean(1)) {
                    throw new IllegalStateException("postrider.test.jit needs a server with LLVM, but "
                            + postgres.version() + " has none: add -Dpostrider.test.postgres=debian");
                }
            } catch (SQLException e) {
                throw new IllegalStateException("cannot ask the test server for JIT", e);
            }
        }
    }
}
