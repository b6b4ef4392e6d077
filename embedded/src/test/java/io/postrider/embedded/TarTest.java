package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarTest {

    @TempDir
    Path target;

    private final ByteArrayOutputStream tar = new ByteArrayOutputStream();

    @Test
    void files_directories_and_links_come_out_as_they_were() throws IOException {
        entry("bin/", '5', "", "");
        entry("bin/run", '0', "", "x".repeat(513));
        entry("lib/empty", '0', "", "");
        entry("lib/link", '2', "empty", "");
        Tar.unpack(new ByteArrayInputStream(tar.toByteArray()), target);

        assertThat(target.resolve("bin/run")).hasContent("x".repeat(513)).isExecutable();
        assertThat(target.resolve("lib/empty")).isEmptyFile();
        assertThat(Files.readSymbolicLink(target.resolve("lib/link"))).isEqualTo(Path.of("empty"));
    }

    @Test
    void what_leaves_the_directory_is_refused() {
        entry("../evil", '0', "", "x");
        assertRefused("leaves its directory");
        tar.reset();
        entry("lib/link", '2', "../../evil", "");
        assertRefused("leaves its directory");
    }

    @Test
    void what_is_not_known_or_not_whole_is_refused() {
        entry("pipe", '6', "", "");
        assertRefused("unknown type 6");
        tar.reset();
        entry("long", '0', "", "y".repeat(600));
        byte[] torn = java.util.Arrays.copyOf(tar.toByteArray(), 700);
        assertThatThrownBy(() -> Tar.unpack(new ByteArrayInputStream(torn), target))
                .isInstanceOf(EOFException.class);
    }

    private void assertRefused(String why) {
        assertThatThrownBy(() -> Tar.unpack(new ByteArrayInputStream(tar.toByteArray()), target))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    private void entry(String name, char type, String link, String content) {
        entry(tar, name, type, link, content);
    }

    static void entry(ByteArrayOutputStream tar, String name, char type, String link, String content) {
        byte[] block = new byte[512];
        put(block, 0, name);
        put(block, 100, "0000755");
        put(block, 124, String.format("%011o", content.length()));
        block[156] = (byte) type;
        put(block, 157, link);
        tar.writeBytes(block);
        byte[] padded = new byte[(content.length() + 511) / 512 * 512];
        put(padded, 0, content);
        tar.writeBytes(padded);
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
