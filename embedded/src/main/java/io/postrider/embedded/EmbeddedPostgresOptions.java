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

/** Options of an {@link EmbeddedPostgres}. Immutable, so threads may share it. */
public final class EmbeddedPostgresOptions {

    private static final Pattern MAJOR = Pattern.compile("[1-9][0-9]");
    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)?");
    private static final Duration LONGEST_START = Duration.ofHours(1);

    /** Settings that this module sets itself, because it depends on them to connect. */
    private static final Set<String> OURS = Set.of("port", "listen_addresses", "unix_socket_directories");

    private final String version;
    private final @Nullable Path dataDirectory;
    private final Path temporaryParent;
    private final @Nullable Path binaries;
    private final Map<String, String> settings;
    private final int port;
    private final Duration startTimeout;

    private EmbeddedPostgresOptions(Draft draft) {
        this.version = draft.version;
        this.dataDirectory = draft.dataDirectory;
        this.temporaryParent = draft.temporaryParent;
        this.binaries = draft.binaries;
        this.settings = draft.settings;
        this.port = draft.port;
        this.startTimeout = draft.startTimeout;
    }

    /** PostgreSQL 18 in a temporary directory on a free port. */
    public static EmbeddedPostgresOptions defaults() {
        return new EmbeddedPostgresOptions(new Draft());
    }

    /** The major version, such as {@code "18"}. */
    public EmbeddedPostgresOptions withVersion(String major) {
        if (!MAJOR.matcher(major).matches()) {
            throw new IllegalArgumentException("version must be a major version such as 18, was " + major);
        }
        Draft draft = new Draft(this);
        draft.version = major;
        return new EmbeddedPostgresOptions(draft);
    }

    /**
     * Keeps the data here, across restarts and reboots. The directory must be missing, empty, or created by an earlier start. It
     * must belong to the account of this process, and other users must not be able to write to it or to rename it. Without this
     * option the data is temporary and deleted when the server is closed.
     */
    public EmbeddedPostgresOptions withDataDirectory(Path directory) {
        Draft draft = new Draft(this);
        draft.dataDirectory = absolute("dataDirectory", directory);
        return new EmbeddedPostgresOptions(draft);
    }

    /**
     * Where a server without {@link #withDataDirectory} creates its temporary directory; {@code java.io.tmpdir} by default. The
     * directory must exist, and other users must not be able to rename what is in it.
     */
    public EmbeddedPostgresOptions withTemporaryParent(Path directory) {
        Draft draft = new Draft(this);
        draft.temporaryParent = absolute("temporaryParent", directory);
        return new EmbeddedPostgresOptions(draft);
    }

    /**
     * Takes the binaries from this jar instead of the class path, or uses the server installed in this directory, such as
     * {@code /usr/lib/postgresql/15}; {@link #withVersion} must name its major version. The jars of all major versions contain
     * the same resource name, so only one of them can be on a class path.
     */
    public EmbeddedPostgresOptions withBinaries(Path jarOrDirectory) {
        Draft draft = new Draft(this);
        draft.binaries = absolute("binaries", jarOrDirectory);
        return new EmbeddedPostgresOptions(draft);
    }

    /** One line of {@code postgresql.conf}; a later value for the same name replaces the earlier one. */
    public EmbeddedPostgresOptions withSetting(String name, String value) {
        if (!SETTING.matcher(name).matches()) {
            throw new IllegalArgumentException("setting must be a name such as work_mem, was " + name);
        }
        if (OURS.contains(name)) {
            throw new IllegalArgumentException("setting " + name + " is set by the embedded server"
                    + (name.equals("port") ? "; use withPort" : ""));
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("setting " + name + " must be one line without control characters");
        }
        Map<String, String> more = new TreeMap<>(settings);
        more.put(name, value);
        Draft draft = new Draft(this);
        draft.settings = Collections.unmodifiableMap(more);
        return new EmbeddedPostgresOptions(draft);
    }

    /** The port on 127.0.0.1; 0, the default, selects a free one. */
    public EmbeddedPostgresOptions withPort(int number) {
        if (number < 0 || number > 65_535) {
            throw new IllegalArgumentException("port must be 0..65535, was " + number);
        }
        Draft draft = new Draft(this);
        draft.port = number;
        return new EmbeddedPostgresOptions(draft);
    }

    /** The timeout of a start, including crash recovery; 60 s by default. */
    public EmbeddedPostgresOptions withStartTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST_START) > 0) {
            throw new IllegalArgumentException("startTimeout must be above 0 and at most 1 h, was " + timeout);
        }
        Draft draft = new Draft(this);
        draft.startTimeout = timeout;
        return new EmbeddedPostgresOptions(draft);
    }

    public String version() {
        return version;
    }

    public Optional<Path> dataDirectory() {
        return Optional.ofNullable(dataDirectory);
    }

    public Path temporaryParent() {
        return temporaryParent;
    }

    public Optional<Path> binaries() {
        return Optional.ofNullable(binaries);
    }

    /** Sorted by name. */
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

    private static Path absolute(String name, Path path) {
        return Objects.requireNonNull(path, name).toAbsolutePath().normalize();
    }

    /** A mutable copy of the options, used to change one of them. */
    private static final class Draft {
        String version = "18";

        @Nullable
        Path dataDirectory;

        Path temporaryParent = Path.of(System.getProperty("java.io.tmpdir"));

        @Nullable
        Path binaries;

        Map<String, String> settings = Map.of();
        int port;
        Duration startTimeout = Duration.ofSeconds(60);

        Draft() {}

        Draft(EmbeddedPostgresOptions from) {
            this.version = from.version;
            this.dataDirectory = from.dataDirectory;
            this.temporaryParent = from.temporaryParent;
            this.binaries = from.binaries;
            this.settings = from.settings;
            this.port = from.port;
            this.startTimeout = from.startTimeout;
        }
    }
}
