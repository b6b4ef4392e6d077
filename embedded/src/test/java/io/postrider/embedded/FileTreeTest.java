package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("security")
class FileTreeTest {

    @TempDir
    Path temp;

    /** The server's account can exchange a directory for a link while root removes the data. */
    @Test
    void removing_a_tree_does_not_reach_what_a_directory_was_exchanged_for() throws Exception {
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Path victim = Files.createFile(outside.resolve("file"));
        Path tree = Files.createDirectory(temp.resolve("tree"));
        Path directory = Files.createDirectory(tree.resolve("directory"));
        Files.createFile(directory.resolve("file"));
        Path first = tree.resolve("x");
        for (int i = 0; i < 1000; i++) {
            first = Files.createFile(tree.resolve("x" + (10_000 + i)));
        }
        Path seen = first;
        Thread attacker = new Thread(() -> {
            while (Files.exists(seen)) {
                Thread.onSpinWait();
            }
            try {
                Files.move(directory, temp.resolve("aside"));
                Files.createSymbolicLink(directory, outside);
            } catch (IOException e) {
                // too late, it is gone
            }
        });
        attacker.start();
        try {
            FileTree.delete(tree);
        } catch (IOException e) {
            assertThat(tree).exists(); // it may give up at a directory that has just become a link
        }
        attacker.join();
        assertThat(victim).exists();
    }
}
