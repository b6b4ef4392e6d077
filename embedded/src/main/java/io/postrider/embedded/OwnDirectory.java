package io.postrider.embedded;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Directories that only this account and root can change or replace. We run programs and read settings from them, often as root,
 * so a directory prepared by another user would give that user our rights.
 *
 * <p>The owner is compared with the uid of the process. A file created in the directory proves nothing: the owner of the
 * directory can rename another file over it. Directories are checked from / downwards, so that a directory that was already
 * checked cannot be replaced.
 */
final class OwnDirectory {

    static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rwxr-xr-x");

    static final long UID = Processes.uid();

    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int LINK = 0120000;
    private static final int STICKY = 01000;
    private static final int GROUP_WRITE = 020;
    private static final int OTHERS_WRITE = 02;

    private OwnDirectory() {}

    /** Creates the directory and those above it, or checks what exists. Returns its path without symbolic links above it. */
    static Path make(Path directory, Set<PosixFilePermission> permissions) throws IOException {
        Path name = directory.getFileName();
        Path parent = directory.getParent();
        if (!directory.isAbsolute() || name == null || parent == null) {
            throw new IOException(directory + " is not an absolute path below /: choose another directory");
        }
        Path above = Files.exists(parent, LinkOption.NOFOLLOW_LINKS) ? resolve(parent) : make(parent, READABLE);
        Path made = above.resolve(name);
        try {
            Files.createDirectory(made, PosixFilePermissions.asFileAttribute(permissions));
        } catch (FileAlreadyExistsException e) {
            check(made);
        }
        return made;
    }

    /** A new directory with an unpredictable name. The caller removes it. */
    static Path temporary(Path within, String prefix, Set<PosixFilePermission> permissions) throws IOException {
        Path made = Files.createTempDirectory(resolve(within), prefix);
        Files.setPosixFilePermissions(made, permissions);
        return made;
    }

    /** Refuses a tree in which another user owns or can write a file. */
    static void checkTree(Path top) throws IOException {
        check(top);
        try (Stream<Path> all = Files.walk(top)) {
            for (Path path : all.toList()) {
                State state = State.of(path);
                if (state.uid != UID || (!state.is(LINK) && state.has(GROUP_WRITE | OTHERS_WRITE))) {
                    throw new IOException(path + " could have been changed by another user: remove " + top);
                }
            }
        }
    }

    /** Checks the directory itself: owned by us, and writable only for us. */
    private static void check(Path directory) throws IOException {
        State state = State.of(directory);
        if (!state.is(DIRECTORY)) {
            throw new IOException(directory + (state.is(LINK) ? " is a symbolic link" : " is not a directory")
                    + ": choose another directory");
        }
        if (state.uid != UID) {
            throw new IOException(directory + " belongs to another user (uid " + state.uid + ", this process has uid "
                    + UID + "): choose another directory");
        }
        if (state.has(GROUP_WRITE | OTHERS_WRITE)) {
            throw new IOException(directory + " is writable for other users: chmod go-w " + directory);
        }
    }

    /** The real path of an existing directory, in which no other user can replace what we create. */
    private static Path resolve(Path directory) throws IOException {
        Path named = directory.toAbsolutePath().normalize();
        checkAbove(named); // links on the way, too: their owner chooses where we write
        Path real = named.toRealPath();
        checkAbove(real);
        return real;
    }

    private static void checkAbove(Path path) throws IOException {
        for (int names = 0; names <= path.getNameCount(); names++) {
            Path directory = names == 0 ? path.getRoot() : path.getRoot().resolve(path.subpath(0, names));
            State state = State.of(directory);
            if (state.uid != 0 && state.uid != UID) {
                throw new IOException(directory + " belongs to another user (uid " + state.uid
                        + "), who can replace its contents: choose a directory elsewhere");
            }
            if (!state.is(LINK) && state.letsOthersRename()) {
                throw new IOException(directory + " is writable for other users, who can replace its contents: chmod"
                        + " go-w or +t, or choose a directory elsewhere");
            }
        }
    }

    private record State(long uid, long gid, int mode) {

        static State of(Path path) throws IOException {
            Map<String, Object> found = Files.readAttributes(path, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
            return new State(
                    Integer.toUnsignedLong(number(found, "uid")),
                    Integer.toUnsignedLong(number(found, "gid")),
                    number(found, "mode"));
        }

        private static int number(Map<String, Object> attributes, String name) {
            return (Integer) Objects.requireNonNull(attributes.get(name), name);
        }

        boolean is(int type) {
            return (mode & TYPE) == type;
        }

        boolean has(int bits) {
            return (mode & bits) != 0;
        }

        /**
         * In a sticky directory such as /tmp only the owner of an entry can rename it. A user's private group (gid = uid, the
         * default of Debian and Fedora, with umask 002) has no other members.
         */
        boolean letsOthersRename() {
            boolean privateGroup = UID != 0 && uid == UID && gid == UID;
            return !has(STICKY) && has(privateGroup ? OTHERS_WRITE : GROUP_WRITE | OTHERS_WRITE);
        }
    }
}
