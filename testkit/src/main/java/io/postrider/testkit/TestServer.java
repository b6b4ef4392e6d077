package io.postrider.testkit;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresOptions;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The one PostgreSQL that all tests of a JVM share: starting one takes a second, a database in it 20 to 40 ms. It starts
 * on first use and goes with the JVM.
 *
 * <p>{@code -Dpostrider.test.postgres=14} chooses another major than 18. Its binaries are then looked for as {@code
 * 14.jar} in the directory {@code -Dpostrider.test.binaries}. With {@code -Dpostrider.test.fsync=off} it does not wait for
 * the disk.
 *
 * <p>A test that stops or kills its server, or counts what the whole server does, starts its own with {@link #options}.
 */
public final class TestServer {

    private static final String DEFAULT_MAJOR = "18";

    private TestServer() {}

    /** The shared server. Do not stop it. */
    public static EmbeddedPostgres postgres() {
        return Shared.POSTGRES;
    }

    /** The major version that the tests run on. */
    public static int major() {
        return Integer.parseInt(System.getProperty("postrider.test.postgres", DEFAULT_MAJOR));
    }

    /** For a server of the test's own: the version under test, with all that PostgreSQL can do switched on. */
    public static EmbeddedPostgresOptions options() {
        EmbeddedPostgresOptions options = EmbeddedPostgresOptions.defaults()
                .withVersion(Integer.toString(major()))
                .withSetting("max_connections", "200")
                .withSetting("max_prepared_transactions", "50")
                .withSetting("wal_level", "logical");
        return Integer.toString(major()).equals(DEFAULT_MAJOR) ? options : options.withBinaries(binaries());
    }

    /** Whether the shared server waits for the disk: not in the inner loop, where half of the time goes into that. */
    static String fsync() {
        return System.getProperty("postrider.test.fsync", "on");
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
            EmbeddedPostgres postgres = EmbeddedPostgres.start(options().withSetting("fsync", fsync()));
            // It would stop without this too, but only after the JVM, and the next one is then slowed by it.
            Runtime.getRuntime().addShutdownHook(new Thread(postgres::close, "test-server-close"));
            return postgres;
        }
    }
}
