package io.postrider.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An empty directory that only this process uses. */
final class EmptyDirectory {
    private EmptyDirectory() {}

    static File make() {
        try {
            Path directory = Files.createTempDirectory("postrider-no-files-");
            File file = directory.toFile();
            file.deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
