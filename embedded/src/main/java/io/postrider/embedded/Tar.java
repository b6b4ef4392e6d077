package io.postrider.embedded;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Unpacks only the kind of tar that we use: files, directories and symbolic links with short names. Anything else is refused.
 * Sixty lines, because the usual library and its dependencies would add 2.7 MB to the user's class path.
 */
final class Tar {

    static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-r--r--");

    private static final int BLOCK = 512;

    private Tar() {}

    static void unpack(InputStream tar, Path target) throws IOException {
        byte[] header = new byte[BLOCK];
        while (tar.readNBytes(header, 0, BLOCK) == BLOCK && header[0] != 0) {
            long size = octal(header, 124, 12);
            Path path = inside(target, text(header, 0, 100));
            switch (header[156]) {
                case '5' -> makeDirectories(path);
                case '2' -> {
                    makeDirectories(parent(path));
                    // Checked as well: a link out of the directory would let a later entry be written through it.
                    inside(
                            target,
                            target.relativize(parent(path).resolve(text(header, 157, 100)))
                                    .toString());
                    Files.createSymbolicLink(path, Path.of(text(header, 157, 100)));
                }
                case '0', 0 -> writeFile(tar, size, path, (octal(header, 100, 8) & 0100) != 0);
                default -> throw new IOException("tar entry of unknown type " + (char) header[156] + ": " + path);
            }
        }
    }

    private static void writeFile(InputStream tar, long size, Path path, boolean executable) throws IOException {
        makeDirectories(parent(path));
        try (OutputStream out = Files.newOutputStream(path)) {
            byte[] buffer = new byte[64 * 1024];
            for (long left = size; left > 0; ) {
                int n = tar.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (n < 0) {
                    throw new EOFException("tar ends inside " + path);
                }
                out.write(buffer, 0, n);
                left -= n;
            }
        }
        // Set regardless of the umask: 000 would let others change the programs, 077 would keep the account nobody from
        // running them.
        Files.setPosixFilePermissions(path, executable ? OwnDirectory.READABLE : FILE);
        tar.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
    }

    private static void makeDirectories(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            makeDirectories(parent(path));
            Files.createDirectory(path);
            Files.setPosixFilePermissions(path, OwnDirectory.READABLE);
        }
    }

    private static Path inside(Path target, String name) throws IOException {
        Path path = target.resolve(name).normalize();
        if (!path.startsWith(target)) {
            throw new IOException("tar entry leaves its directory: " + name);
        }
        return path;
    }

    private static Path parent(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IOException("tar entry without a directory: " + path);
        }
        return parent;
    }

    private static String text(byte[] header, int from, int length) {
        int end = from;
        while (end < from + length && header[end] != 0) {
            end++;
        }
        return new String(header, from, end - from, StandardCharsets.UTF_8);
    }

    private static long octal(byte[] header, int from, int length) throws IOException {
        String digits = text(header, from, length).trim();
        try {
            return Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("tar header is damaged: " + digits, e);
        }
    }
}
