package io.postrider.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removes a tree in which another account may be writing: root follows no symbolic link and resolves no path twice. */
final class FileTree {

    private FileTree() {}

    static void delete(Path tree) throws IOException {
        Path name = tree.getFileName();
        Path parent = tree.toAbsolutePath().getParent();
        if (name == null || parent == null) {
            throw new IOException("cannot remove " + tree);
        }
        try (DirectoryStream<Path> above = Files.newDirectoryStream(parent)) {
            if (above instanceof SecureDirectoryStream<Path> directory) {
                delete(directory, name);
                return;
            }
        }
        deleteByPath(tree); // macOS, where no other account runs the server
    }

    private static void delete(SecureDirectoryStream<Path> above, Path name) throws IOException {
        try {
            if (!above.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isDirectory()) {
                above.deleteFile(name);
                return;
            }
            try (SecureDirectoryStream<Path> directory = above.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                List<Path> entries = new ArrayList<>();
                directory.forEach(entry -> entries.add(entry.getFileName()));
                for (Path entry : entries) {
                    delete(directory, entry);
                }
            }
            above.deleteDirectory(name);
        } catch (NoSuchFileException e) {
            // already gone
        }
    }

    private static void deleteByPath(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
