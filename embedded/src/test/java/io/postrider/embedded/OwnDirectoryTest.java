package io.postrider.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** As root, the attacker is a real other uid. A user cannot give files away, so the attacker is then anyone who can write. */
@Tag("security")
class OwnDirectoryTest {

    private static final boolean ROOT = OwnDirectory.UID == 0;

    @TempDir
    Path temp;

    /**
     * What root met after a local user had created its cache first: the directory is his, and every file in it can be root's,
     * because he can move root's own probe files and directories around in it.
     */
    @Test
    void programs_in_a_cache_that_somebody_else_made_are_not_run_and_nothing_is_written_there() throws IOException {
        EmbeddedPostgresOptions options = EmbeddedPostgresOptions.defaults().withBinaries(jar());
        Path cache = temp.resolve("cache");
        Path home = Files.createDirectories(cache.resolve(nameInCache(options)));
        Path ran = temp.resolve("ran");
        Path postgres = Files.writeString(
                Files.createDirectory(home.resolve("bin")).resolve("postgres"),
                "#!/bin/sh\nid > " + ran + "\necho 'postgres (PostgreSQL) 18.99'\n");
        Files.setPosixFilePermissions(postgres, OwnDirectory.READABLE);
        giveAway(cache);
        Path version = Files.writeString(home.resolve("VERSION"), "18.99");
        for (boolean complete : new boolean[] {true, false}) { // it would be used as it is, or unpacked there
            if (!complete) {
                Files.delete(version);
            }
            List<String> before = listing(cache);

            ProgramCache opened = ProgramCache.open(cache, temp, OwnDirectory.PRIVATE);
            Binaries found = Binaries.find(options, opened);

            assertThat(found.version()).isEqualTo("18.6");
            assertThat(found.home()).startsWith(opened.directory());
            assertThat(opened.directory().getParent()).isEqualTo(temp.toRealPath());
            assertThat(mode(opened.directory())).isEqualTo("rwx------");
            assertThat(ran).doesNotExist();
            assertThat(listing(cache)).isEqualTo(before);
            found.close();
            assertThat(opened.directory()).doesNotExist();
        }
    }

    @Test
    void a_program_in_our_cache_that_somebody_else_could_change_is_refused() throws IOException {
        EmbeddedPostgresOptions options = EmbeddedPostgresOptions.defaults().withBinaries(jar());
        ProgramCache cache = ProgramCache.open(temp.resolve("cache"), temp, OwnDirectory.PRIVATE);
        Path home = Binaries.find(options, cache).home();
        assertThat(Binaries.find(options, cache).home()).isEqualTo(home);
        Path postgres = home.resolve("bin/postgres");
        giveAway(postgres);

        assertThatThrownBy(() -> Binaries.find(options, cache))
                .isInstanceOf(IOException.class)
                .hasMessage(postgres + " could have been changed by another user: remove " + home);
    }

    /** With umask 077 root creates it as rwx------, and nobody could not run the programs in it. */
    @Test
    void a_cache_has_the_permissions_asked_for_whatever_the_umask() throws IOException {
        Path cache = OwnDirectory.make(temp.resolve("cache"), OwnDirectory.PRIVATE);
        assertThat(ProgramCache.open(cache, temp, OwnDirectory.READABLE).temporary())
                .isFalse();
        assertThat(mode(cache)).isEqualTo("rwxr-xr-x");
    }

    @Test
    void a_data_directory_that_somebody_else_made_is_refused_and_left_alone() throws IOException {
        Path data = Files.createDirectory(temp.resolve("data"));
        giveAway(data);
        List<String> before = listing(data);
        assertThatThrownBy(() -> DataDirectory.open(
                        EmbeddedPostgresOptions.defaults().withDataDirectory(data), Account.current()))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining(data.toString())
                .hasMessageContaining(ROOT ? "belongs to another user (uid 12345" : "is writable for other users");
        assertThat(listing(data)).isEqualTo(before);

        // Else root would change the mode of what the link points to, and fill it.
        Path target = Files.createDirectory(
                temp.resolve("target"), PosixFilePermissions.asFileAttribute(OwnDirectory.READABLE));
        Path link = Files.createSymbolicLink(temp.resolve("link"), target);
        assertThatThrownBy(() -> DataDirectory.open(
                        EmbeddedPostgresOptions.defaults().withDataDirectory(link), Account.current()))
                .hasMessageContaining("is a symbolic link");
        assertThat(target).isEmptyDirectory();
        assertThat(mode(target)).isEqualTo("rwxr-xr-x");
    }

    @Test
    void a_directory_below_one_that_others_can_write_to_is_refused_unless_it_is_sticky() throws IOException {
        Path open = Files.createDirectory(temp.resolve("open"));
        Path inside = OwnDirectory.make(open.resolve("inside"), OwnDirectory.PRIVATE);
        assertThat(OwnDirectory.make(inside, OwnDirectory.PRIVATE)).isEqualTo(inside.toRealPath());

        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> OwnDirectory.make(inside, OwnDirectory.PRIVATE))
                .hasMessageContaining(open + " is writable for other users");
        assertThatThrownBy(() -> OwnDirectory.make(open.resolve("a/b"), OwnDirectory.PRIVATE))
                .hasMessageContaining(open + " is writable for other users");
        assertThatThrownBy(() -> OwnDirectory.temporary(open, "x", OwnDirectory.PRIVATE))
                .hasMessageContaining(open + " is writable for other users");
        assertThat(listing(open)).hasSize(2);

        Files.setAttribute(open, "unix:mode", 01777);
        assertThat(OwnDirectory.make(open.resolve("a/b"), OwnDirectory.PRIVATE)).isDirectory();
        assertThat(mode(open.resolve("a"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(open.resolve("a/b"))).isEqualTo("rwx------");
    }

    @Test
    void a_directory_of_another_user_is_refused_as_it_is_and_as_a_way_to_others() throws IOException {
        // A user who is not root finds directories of another user everywhere, but can only trust root's as a way.
        Path foreign = ROOT ? Files.createDirectory(temp.resolve("foreign")) : Path.of("/usr");
        Path way = temp.resolve("way");
        Files.createSymbolicLink(way, Files.createDirectory(temp.resolve("ours")));
        assertThat(OwnDirectory.make(way.resolve("a"), OwnDirectory.PRIVATE))
                .isEqualTo(temp.resolve("ours/a").toRealPath());
        if (ROOT) {
            giveAway(foreign);
            giveAway(way);
        }

        assertThatThrownBy(() -> OwnDirectory.make(foreign, OwnDirectory.PRIVATE))
                .hasMessageContaining(foreign + " belongs to another user");
        assertThatThrownBy(() -> OwnDirectory.make(foreign.resolve("postrider"), OwnDirectory.PRIVATE))
                .isInstanceOf(IOException.class);
        assertThat(foreign.resolve("postrider")).doesNotExist();
        if (ROOT) {
            assertThatThrownBy(() -> OwnDirectory.make(way.resolve("b"), OwnDirectory.PRIVATE))
                    .hasMessageContaining(way + " belongs to another user");
            assertThat(temp.resolve("ours/b")).doesNotExist();
        }
    }

    @Test
    void the_uid_is_that_of_the_files_we_make() throws IOException {
        assertThat(Processes.uid()).isEqualTo(((Number) Files.getAttribute(temp, "unix:uid")).longValue());
    }

    @Test
    void files_links_and_relative_paths_are_refused() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        assertThatThrownBy(() -> OwnDirectory.make(file, OwnDirectory.PRIVATE))
                .hasMessageContaining("is not a directory");
        assertThatThrownBy(() -> OwnDirectory.make(Path.of("?/.cache"), OwnDirectory.PRIVATE))
                .hasMessageContaining("is not an absolute path");
        assertThatThrownBy(() -> OwnDirectory.make(Path.of("/"), OwnDirectory.PRIVATE))
                .hasMessageContaining("is not an absolute path");
        Path dangling = Files.createSymbolicLink(temp.resolve("dangling"), temp.resolve("nowhere"));
        assertThatThrownBy(() -> OwnDirectory.make(dangling, OwnDirectory.PRIVATE))
                .hasMessageContaining("is a symbolic link");
        assertThat(temp.resolve("nowhere")).doesNotExist();
    }

    /** A jar as those with PostgreSQL's programs, but with a script for a server. */
    private Path jar() throws IOException {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        TarTest.entry(tar, "bin/postgres", '0', "", "#!/bin/sh\necho 'postgres (PostgreSQL) 18.6'\n");
        Path jar = temp.resolve("postgres.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry(Binaries.resource()));
            try (XZOutputStream xz = new XZOutputStream(zip, new LZMA2Options(0))) {
                xz.write(tar.toByteArray());
                xz.finish();
                zip.closeEntry();
            }
        }
        return jar;
    }

    private Path nameInCache(EmbeddedPostgresOptions options) throws IOException {
        ProgramCache elsewhere = ProgramCache.open(temp.resolve("elsewhere"), temp, OwnDirectory.PRIVATE);
        return Binaries.find(options, elsewhere).home().getFileName();
    }

    private static void giveAway(Path path) throws IOException {
        if (ROOT) {
            Files.setAttribute(path, "unix:uid", 12_345, LinkOption.NOFOLLOW_LINKS);
        } else {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwx---"));
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** Names and times: a file that was created and deleted shows in the time of its directory. */
    private static List<String> listing(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            List<String> lines = new ArrayList<>();
            for (Path path : all.sorted().toList()) {
                lines.add(path + " " + Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS));
            }
            return lines;
        }
    }
}
