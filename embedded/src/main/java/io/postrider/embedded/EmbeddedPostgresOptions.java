package io.postrider.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How to run an {@link EmbeddedPostgres}. Immutable, so threads may share it. */
public final class EmbeddedPostgresOptions {

    private static final Pattern MAJOR = Pattern.compile("[1-9][0-9]");
    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)?");
    private static final Duration LONGEST_START = Duration.ofHours(1);

    /** Settings that this module decides itself, because its own way in depends on them. */
    private static final Set<String> OURS = Set.of("port", "listen_addresses", "unix_socket_directories");

    private final String version;
    private final @Nullable Path dataDirectory;
    private final @Nullable Path binaries;
    private final Map<String, String> settings;
    private final int port;
    private final Duration startTimeout;

    private EmbeddedPostgresOptions(
            String version,
            @Nullable Path dataDirectory,
            @Nullable Path binaries,
            Map<String, String> settings,
            int port,
            Duration startTimeout) {
        this.version = version;
        this.dataDirectory = dataDirectory;
        this.binaries = binaries;
        this.settings = settings;
        this.port = port;
        this.startTimeout = startTimeout;
    }

    /** PostgreSQL 18 in a temporary directory on a free port. */
    public static EmbeddedPostgresOptions defaults() {
        return new EmbeddedPostgresOptions("18", null, null, Map.of(), 0, Duration.ofSeconds(60));
    }

    /** The major version, such as {@code "18"}. */
    public EmbeddedPostgresOptions withVersion(String major) {
        if (!MAJOR.matcher(major).matches()) {
            throw new IllegalArgumentException("version must be a major version such as 18, was " + major);
        }
        return new EmbeddedPostgresOptions(major, dataDirectory, binaries, settings, port, startTimeout);
    }

    /**
     * Keeps the data here, across starts and machines' reboots. The directory must not exist yet, or be empty, or be one
     * made by an earlier start. It must belong to the account of this process, and other users must not be able to write to it
     * or to rename it. Without it the data is temporary and goes when the server is closed.
     */
    public EmbeddedPostgresOptions withDataDirectory(Path directory) {
        Path absolute = Objects.requireNonNull(directory, "dataDirectory")
                .toAbsolutePath()
                .normalize();
        return new EmbeddedPostgresOptions(version, absolute, binaries, settings, port, startTimeout);
    }

    /**
     * Takes the binaries from this jar instead of the class path, or uses the server installed in this directory, such as
     * {@code /usr/lib/postgresql/15}; {@link #withVersion} must name its major version. The jars of all major versions contain
     * the same resource name, so only one of them can be on a class path.
     */
    public EmbeddedPostgresOptions withBinaries(Path jarOrDirectory) {
        Path absolute = Objects.requireNonNull(jarOrDirectory, "binaries")
                .toAbsolutePath()
                .normalize();
        return new EmbeddedPostgresOptions(version, dataDirectory, absolute, settings, port, startTimeout);
    }

    /** One line of {@code postgresql.conf}; a later value for the same name replaces the earlier one. */
    public EmbeddedPostgresOptions withSetting(String name, String value) {
        if (!SETTING.matcher(name).matches()) {
            throw new IllegalArgumentException("setting must be a name such as work_mem, was " + name);
        }
        if (OURS.contains(name)) {
            throw new IllegalArgumentException("setting " + name + " is the embedded server's own"
                    + (name.equals("port") ? "; use withPort" : ""));
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("setting " + name + " must be one line without control characters");
        }
        Map<String, String> more = new TreeMap<>(settings);
        more.put(name, value);
        return new EmbeddedPostgresOptions(
                version, dataDirectory, binaries, Collections.unmodifiableMap(more), port, startTimeout);
    }

    /** The port on 127.0.0.1; 0, the default, takes a free one. */
    public EmbeddedPostgresOptions withPort(int number) {
        if (number < 0 || number > 65_535) {
            throw new IllegalArgumentException("port must be 0..65535, was " + number);
        }
        return new EmbeddedPostgresOptions(version, dataDirectory, binaries, settings, number, startTimeout);
    }

    /** How long a start may take, crash recovery included; 60 s by default. */
    public EmbeddedPostgresOptions withStartTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST_START) > 0) {
            throw new IllegalArgumentException("startTimeout must be above 0 and at most 1 h, was " + timeout);
        }
        return new EmbeddedPostgresOptions(version, dataDirectory, binaries, settings, port, timeout);
    }

    public String version() {
        return version;
    }

    public Optional<Path> dataDirectory() {
        return Optional.ofNullable(dataDirectory);
    }

    public Optional<Path> binaries() {
        return Optional.ofNullable(binaries);
    }

    /** In the order of their names. */
    public Map<String, String> settings() {
        return settings;
    }

    public int port() {
        return port;
    }

    public Duration startTimeout() {
        return startTimeout;
    }

    @Override
    public String toString() {
        return "version=" + version
                + " dataDirectory=" + (dataDirectory == null ? "temporary" : dataDirectory)
                + " port=" + port
                + " settings=" + settings;
    }
}
