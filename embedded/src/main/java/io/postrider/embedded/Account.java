package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * As whom PostgreSQL runs. It refuses to run as root, so root needs a disguise: a user namespace, where the same files
 * belong to a nobody (nothing has to change owner), or else the account nobody itself, which must then own the data.
 */
enum Account {
    SELF(""),
    NAMESPACE("unshare -U"),
    NOBODY("setpriv --reuid=65534 --regid=65534 --clear-groups");

    private static final int NOBODY_ID = 65_534;

    private final String prefix;

    Account(String prefix) {
        this.prefix = prefix;
    }

    /** The first that works here. Asked once in a JVM, since it starts a process. */
    static Account current() {
        return Found.ACCOUNT;
    }

    List<String> command(String... words) {
        List<String> command = new ArrayList<>();
        if (!prefix.isEmpty()) {
            command.addAll(List.of(prefix.split(" ", -1)));
        }
        command.addAll(List.of(words));
        return command;
    }

    /** Lets the server own what root has made for it. */
    void takeOver(Path directory) throws IOException {
        if (this != NOBODY) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.toList()) {
                Files.setAttribute(path, "unix:uid", NOBODY_ID);
                Files.setAttribute(path, "unix:gid", NOBODY_ID);
            }
        }
    }

    /** Whether the server can reach the directory at all: /root is closed to nobody. */
    boolean reaches(Path directory) {
        return this == SELF || succeeds(command("test", "-r", directory.toString(), "-a", "-x", directory.toString()));
    }

    private static boolean succeeds(List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false; // no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static final class Found {
        static final Account ACCOUNT = find();

        private static Account find() {
            if (!isRoot()) {
                return SELF;
            }
            for (Account account : List.of(NAMESPACE, NOBODY)) {
                if (succeeds(account.command("true"))) {
                    return account;
                }
            }
            throw new EmbeddedPostgresException("PostgreSQL does not run as root, and neither unshare -U nor setpriv"
                    + " works here: run as another user, or install util-linux");
        }

        private static boolean isRoot() {
            try {
                // Not user.name, which an environment can set: the owner of a file that this process has just made.
                Path probe = Files.createTempFile("postrider", null);
                try {
                    return Integer.valueOf(0).equals(Files.getAttribute(probe, "unix:uid"));
                } finally {
                    Files.delete(probe);
                }
            } catch (IOException | UnsupportedOperationException e) {
                return "root".equals(System.getProperty("user.name"));
            }
        }
    }
}
