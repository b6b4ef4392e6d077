package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The account that PostgreSQL runs as. It refuses to run as root, so root uses a user namespace, in which the same files belong
 * to nobody (no owner has to change), or else the account nobody itself, which must then own the data.
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

    /** The first that works here. Determined once per JVM, since it starts a process. */
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

    /**
     * Makes the server's account the owner of a file or tree that root has created. A tree that the account already owns is left
     * alone: the account may have put links to root's files into it. No symbolic link is followed and no path resolved twice.
     */
    void takeOver(Path path) throws IOException {
        if (this != NOBODY
                || Integer.valueOf(NOBODY_ID).equals(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            return;
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.setAttribute(path, "unix:uid", NOBODY_ID, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", NOBODY_ID, LinkOption.NOFOLLOW_LINKS);
            return;
        }
        UserPrincipalLookupService names = path.getFileSystem().getUserPrincipalLookupService();
        UserPrincipal user = names.lookupPrincipalByName(Integer.toString(NOBODY_ID));
        GroupPrincipal group = names.lookupPrincipalByGroupName(Integer.toString(NOBODY_ID));
        try (DirectoryStream<Path> above = Files.newDirectoryStream(path.getParent())) {
            if (!(above instanceof SecureDirectoryStream<Path> parent)) {
                throw new IOException("this system cannot change owners without following links; run as another user");
            }
            try (SecureDirectoryStream<Path> tree =
                    parent.newDirectoryStream(path.getFileName(), LinkOption.NOFOLLOW_LINKS)) {
                give(tree, user, group);
            }
        }
    }

    private static void give(SecureDirectoryStream<Path> directory, UserPrincipal user, GroupPrincipal group)
            throws IOException {
        for (Path entry : directory) {
            Path name = entry.getFileName();
            PosixFileAttributeView view =
                    directory.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            PosixFileAttributes attributes = view.readAttributes();
            if (attributes.isDirectory()) {
                try (SecureDirectoryStream<Path> inner =
                        directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    give(inner, user, group);
                }
            } else if (attributes.isRegularFile()) {
                view.setOwner(user);
                view.setGroup(group);
            }
        }
        // Done last, so that a tree with this owner is known to be handed over completely.
        PosixFileAttributeView self = directory.getFileAttributeView(PosixFileAttributeView.class);
        self.setOwner(user);
        self.setGroup(group);
    }

    /** Whether the server can access the directory: for example, nobody cannot access /root. */
    boolean reaches(Path directory) {
        return this == SELF || succeeds(command("test", "-x", directory.toString()));
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
            if (OwnDirectory.UID != 0) {
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
    }
}
