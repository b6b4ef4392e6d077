package io.postrider.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs: those installed on the machine, or unpacked from a jar. They are unpacked once per build and shared by
 * every JVM of this user. Unpacking goes into a separate directory that is then renamed, so concurrent JVMs see all of it or
 * nothing.
 *
 * @param unpackedIn null if they are installed
 */
record Binaries(Path home, String version, @Nullable ProgramCache unpackedIn) {

    static Binaries find(EmbeddedPostgresOptions options, Account account) {
        try {
            Optional<Path> installed = options.binaries().filter(Files::isDirectory);
            return installed.isPresent()
                    ? installed(installed.get(), options.version())
                    : find(options, ProgramCache.open(account));
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot unpack PostgreSQL: " + reason(e), e);
        }
    }

    static Binaries find(EmbeddedPostgresOptions options, ProgramCache cache) throws IOException {
        try {
            List<String> others = new ArrayList<>();
            for (URL archive : archives(options.binaries().orElse(null))) {
                Binaries found = unpacked(archive, cache);
                if (found.major().equals(options.version())) {
                    return found;
                }
                others.add(found.version());
            }
            throw new EmbeddedPostgresException(
                    others.isEmpty()
                            ? "no PostgreSQL for this machine (" + resource() + ") "
                                    + options.binaries().map(jar -> "in " + jar).orElse("on the class path")
                            : "PostgreSQL " + options.version() + " was asked for, but there is only "
                                    + String.join(", ", others) + ": pass the jar of that version with withBinaries");
        } catch (IOException | RuntimeException e) {
            cache.close();
            throw e;
        }
    }

    /** Removes programs that were unpacked for this server only. */
    void close() {
        try {
            if (unpackedIn != null) {
                unpackedIn.close();
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot remove " + home + ": " + reason(e), e);
        }
    }

    /** Removed together with the server. */
    Optional<Path> temporary() {
        return Optional.ofNullable(unpackedIn).filter(ProgramCache::temporary).map(ProgramCache::directory);
    }

    private static Binaries installed(Path home, String wanted) throws IOException {
        Path postgres = home.resolve("bin/postgres");
        if (!Files.isExecutable(postgres)) {
            throw new NoSuchFileException(postgres.toString());
        }
        Binaries found = new Binaries(home, askVersion(postgres), null);
        if (!found.major().equals(wanted)) {
            throw new EmbeddedPostgresException("PostgreSQL " + wanted + " was asked for, but " + home + " has "
                    + found.version() + ": pass its version with withVersion");
        }
        return found;
    }

    Path program(String name) {
        return home.resolve("bin").resolve(name);
    }

    String major() {
        return version.replaceFirst("[^0-9].*", "");
    }

    private static List<URL> archives(@Nullable Path jar) throws IOException {
        if (jar == null) {
            return Collections.list(Binaries.class.getClassLoader().getResources(resource()));
        }
        if (!Files.isReadable(jar)) {
            throw new NoSuchFileException(jar.toString());
        }
        URL inJar = URI.create("jar:" + jar.toUri() + "!/" + resource()).toURL();
        return checksum(inJar).isPresent() ? List.of(inJar) : List.of();
    }

    /** The resource name of the archive for this machine, which is the same in the jars of all versions. */
    static String resource() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String arch = System.getProperty("os.arch");
        String machine = switch (arch) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> arch;
        };
        return "postgres-" + os + "-" + machine + ".txz";
    }

    private static Binaries unpacked(URL archive, ProgramCache cache) throws IOException {
        // Named by content, so that a new build of the same version does not reuse the old one. The jar's index has the
        // checksum.
        String sum = checksum(archive).orElseThrow(() -> new NoSuchFileException(archive.toString()));
        Path home = cache.directory().resolve(sum);
        if (!Files.exists(home.resolve("VERSION"))) {
            unpack(archive, cache.directory(), home);
        }
        OwnDirectory.checkTree(home); // an older version may have unpacked it where others could write
        return new Binaries(home, Files.readString(home.resolve("VERSION")).trim(), cache);
    }

    private static void unpack(URL archive, Path cache, Path home) throws IOException {
        Path mine = Files.createTempDirectory(cache, "unpacking");
        try {
            try (InputStream in =
                    new XZInputStream(new BufferedInputStream(open(archive).getInputStream(), 1 << 16))) {
                Tar.unpack(in, mine);
            }
            Path version = Files.writeString(mine.resolve("VERSION"), askVersion(mine.resolve("bin/postgres")));
            Files.setPosixFilePermissions(version, Tar.FILE);
            Files.setPosixFilePermissions(
                    mine, OwnDirectory.READABLE); // the cache above it is what keeps others out, if anything
            Files.move(mine, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Another JVM was first: a rename never replaces a directory that is not empty.
            if (!Files.exists(home.resolve("VERSION"))) {
                throw e;
            }
        } finally {
            FileTree.delete(mine);
        }
    }

    /** "postgres (PostgreSQL) 18.6" gives 18.6. */
    private static String askVersion(Path postgres) throws IOException {
        Process process = new ProcessBuilder(postgres.toString(), "--version")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        String version = said.replaceFirst("^.*\\) ", "");
        if (!version.matches("[0-9]+\\.[0-9]+.*")) {
            throw new IOException("PostgreSQL does not run on this machine: " + said.replace('\n', ' '));
        }
        return version;
    }

    private static Optional<String> checksum(URL archive) throws IOException {
        try {
            if (open(archive) instanceof JarURLConnection jar) {
                return Optional.of(Long.toHexString(jar.getJarEntry().getCrc()) + "-"
                        + Long.toHexString(jar.getJarEntry().getSize()));
            }
            return Optional.of(Long.toHexString(open(archive).getContentLengthLong()));
        } catch (java.io.FileNotFoundException e) {
            return Optional.empty(); // the jar has no such entry
        }
    }

    private static URLConnection open(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        connection.setUseCaches(false); // otherwise the JVM keeps the jar open forever
        return connection;
    }

    static String reason(IOException e) {
        return e instanceof FileSystemException ? e.toString() : String.valueOf(e.getMessage());
    }
}
