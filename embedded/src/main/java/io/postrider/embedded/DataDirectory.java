package io.postrider.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The directory of one server: {@code cluster/} (PostgreSQL's own), {@code password}, {@code postrider.conf},
 * {@code postgres.log} and {@code lock}. The lock is a kernel lock, so it is released when its JVM ends for any reason.
 *
 * <p>Only {@code cluster/} belongs to the server's account. The directory itself stays ours: in a directory owned by nobody, root
 * would write its log through any link that this account puts there.
 */
final class DataDirectory {

    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x--x");
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final long LOG_LIMIT = 10 * 1024 * 1024;

    private final Path root;
    private final boolean temporary;
    private final FileChannel lock;
    private final String password;

    private DataDirectory(Path root, boolean temporary, FileChannel lock, String password) {
        this.root = root;
        this.temporary = temporary;
        this.lock = lock;
        this.password = password;
    }

    /** Locks the directory for this object and creates what is missing. */
    static DataDirectory open(EmbeddedPostgresOptions options, Account account) {
        Path wanted = options.dataDirectory().orElse(null);
        try {
            Path root = wanted == null
                    ? OwnDirectory.temporary(options.temporaryParent(), "postrider-postgres", OwnDirectory.PRIVATE)
                    : OwnDirectory.make(wanted, OwnDirectory.PRIVATE);
            refuseForeign(root);
            FileChannel lock = lock(root);
            try {
                String password = readOrMakePassword(root.resolve("password"));
                if (account == Account.NOBODY) {
                    Files.setPosixFilePermissions(root, PASSABLE);
                }
                if (!account.reaches(root)) {
                    throw new EmbeddedPostgresException(
                            "data directory " + root + " cannot be reached by the account nobody: choose one under /tmp"
                                    + " or /var, or run as a user other than root");
                }
                return new DataDirectory(root, wanted == null, lock, password);
            } catch (IOException | RuntimeException e) {
                lock.close();
                if (wanted == null) {
                    FileTree.delete(root);
                }
                throw e;
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot use the data directory: " + Binaries.reason(e), e);
        }
    }

    /**
     * Creates the cluster on first use, in a separate directory that is then renamed: a killed initdb leaves nothing incomplete.
     */
    void prepare(Binaries binaries, Account account) {
        try {
            Optional<String> major = read(cluster().resolve("PG_VERSION")).map(String::trim);
            if (major.isPresent()) {
                if (!major.get().equals(binaries.major())) {
                    throw new EmbeddedPostgresException("data directory " + root + " holds PostgreSQL " + major.get()
                            + ", but " + binaries.major() + " was asked for: use that version or another directory");
                }
                awaitFormerServer();
                account.takeOver(cluster()); // owned by root if user namespaces worked at the last start
                return;
            }
            Path draft = root.resolve("cluster.new");
            FileTree.delete(draft);
            Files.createDirectory(draft, PosixFilePermissions.asFileAttribute(OwnDirectory.PRIVATE));
            account.takeOver(draft);
            account.takeOver(root.resolve("password")); // initdb reads it
            initdb(binaries, account, draft);
            Files.move(draft, cluster(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "cannot prepare the data directory " + root + ": " + Binaries.reason(e), e);
        }
    }

    /**
     * Settings are in a file, not on the command line, so that ALTER SYSTEM and a reload can still override them. The file is
     * outside the cluster, where the server's account could replace it by a link.
     */
    void writeSettings(Map<String, String> settings, Account account) {
        StringBuilder lines = new StringBuilder("# Written at each start.\ninclude 'cluster/postgresql.conf'\n");
        settings.forEach((name, value) -> lines.append(name)
                .append(" = '")
                .append(value.replace("\\", "\\\\").replace("'", "''"))
                .append("'\n"));
        try {
            Files.deleteIfExists(settings());
            Files.createFile(settings(), OWNER_ONLY);
            Files.writeString(settings(), lines);
            account.takeOver(settings());
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot write " + settings() + ": " + Binaries.reason(e), e);
        }
    }

    Path root() {
        return root;
    }

    boolean temporary() {
        return temporary;
    }

    Path cluster() {
        return root.resolve("cluster");
    }

    Path settings() {
        return root.resolve("postrider.conf");
    }

    String password() {
        return password;
    }

    /** The server's log, truncated when it has grown: a demo may use one directory for months. */
    Path log() throws IOException {
        Path log = root.resolve("postgres.log");
        if (Files.exists(log) && Files.size(log) > LOG_LIMIT) {
            Files.move(log, root.resolve("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        return log;
    }

    /** The lines of postmaster.pid: pid, directory, start, port, sockets, address, shared memory, status. */
    List<String> postmasterPid() {
        return postmasterPid(root);
    }

    void close() {
        try {
            if (temporary) {
                FileTree.delete(root);
            }
            lock.close();
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot remove " + root + ": " + Binaries.reason(e), e);
        }
    }

    /** A mistyped path must not turn a home directory into a database. */
    private static void refuseForeign(Path root) throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            if (!Files.exists(root.resolve("lock")) && entries.findAny().isPresent()) {
                throw new EmbeddedPostgresException(
                        "data directory " + root + " is not empty and was not made by Postrider: choose another");
            }
        }
    }

    private static FileChannel lock(Path root) throws IOException {
        FileChannel channel =
                FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // locked by this JVM itself
        }
        channel.close();
        throw held(root);
    }

    private static EmbeddedPostgresException held(Path root) {
        List<String> lines = postmasterPid(root);
        String by = lines.size() < 4
                ? "another process"
                : "a running server (pid " + lines.get(0) + ", port " + lines.get(3) + ")";
        return new EmbeddedPostgresException(
                "data directory " + root + " is in use by " + by + ": stop it or choose another directory");
    }

    /** The JVM that locked the directory has ended (we have its lock), but its server may still be shutting down. */
    private void awaitFormerServer() throws IOException {
        List<String> lines = postmasterPid();
        if (lines.isEmpty()) {
            return;
        }
        long pid = Long.parseLong(lines.get(0));
        if (!Processes.await(() -> !Processes.alive(pid) || !isPostgres(pid), Duration.ofSeconds(10))) {
            throw held(root);
        }
        if (Processes.exists(pid)) {
            // The pid now belongs to another program, as happens when a container restarts. PostgreSQL would mistake it
            // for the old server and refuse to start.
            Files.deleteIfExists(cluster().resolve("postmaster.pid"));
        }
    }

    private static boolean isPostgres(long pid) {
        Optional<String> command =
                ProcessHandle.of(pid).flatMap(process -> process.info().command());
        return command.isEmpty() || command.get().endsWith("postgres");
    }

    private static List<String> postmasterPid(Path root) {
        try {
            return read(root.resolve("cluster").resolve("postmaster.pid"))
                    .map(text -> text.lines().toList())
                    .orElse(List.of());
        } catch (IOException e) {
            return List.of(); // being replaced at this moment
        }
    }

    private void initdb(Binaries binaries, Account account, Path draft) throws IOException {
        List<String> command = new ArrayList<>(account.command(
                binaries.program("initdb").toString(),
                "--pgdata=" + draft,
                "--username=" + EmbeddedPostgres.USER,
                "--pwfile=" + root.resolve("password"),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--no-instructions"));
        if (temporary) {
            command.add("--no-sync"); // temporary data does not have to survive a crash
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (Processes.exitCode(process) != 0) {
            throw new IOException("initdb failed: " + said.strip().replaceAll("\\s*\\R\\s*", "; "));
        }
    }

    private static String readOrMakePassword(Path file) throws IOException {
        Optional<String> kept = read(file).map(String::trim).filter(text -> !text.isEmpty());
        if (kept.isPresent()) {
            return kept.get();
        }
        byte[] random = new byte[18];
        new SecureRandom().nextBytes(random);
        String password = Base64.getUrlEncoder().encodeToString(random);
        Files.deleteIfExists(file);
        Files.createFile(file, OWNER_ONLY);
        Files.writeString(file, password + "\n");
        return password;
    }

    private static Optional<String> read(Path file) throws IOException {
        // The server's account may have put a link there: its target would be read as PG_VERSION and shown in an error.
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
