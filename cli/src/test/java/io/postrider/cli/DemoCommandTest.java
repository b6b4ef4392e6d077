package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.terminal.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
    @Test
    @Tag("slow")
    void the_demo_ends_after_its_time_without_losses_or_duplicates() {
        Ran ran = new Shell().ok("demo", "--seconds", "2", "--rate", "300");
        assertThat(ran.out())
                .contains("head ")
                .contains("lost 0, duplicates 0, from rolled back transactions 0")
                .contains("ok    events")
                .contains("ok    ledgers")
                .contains("ok    jobs");
        assertThat(ran.out())
                .as("jobs are counted, and every order placed is packed once")
                .containsPattern("head \\d+ .* parcels \\d+.* receipts \\d+")
                .containsPattern("\nparcels +[\\d,]+ jobs done")
                .containsPattern("\nreceipts +[\\d,]+ jobs done")
                .containsPattern("\npacked +([1-9][\\d,]*) parcels for \\1 orders placed\n +lost 0, duplicates 0");
        assertThat(ran.err()).contains("export PGHOST=127.0.0.1").contains("./postrider tail orders --follow");
        assertThat(Path.of(ran.err().replaceAll("(?s).*\\(cat (/[^)]+)\\).*", "$1")))
                .doesNotExist();
    }

    @Test
    @Tag("slow")
    void a_kept_data_directory_can_be_reused(@TempDir Path directory) {
        Path data = directory.resolve("data");
        Ran first = new Shell().ok("demo", "--seconds", "1", "--data", data.toString());
        assertThat(first.err())
                .contains("PGPASSWORD=$(cat " + data + "/password)")
                .contains("is kept in " + data);
        assertThat(new Shell()
                        .ok("demo", "--seconds", "1", "--data", data.toString())
                        .out())
                .contains("lost 0, duplicates 0");
        assertThat(data.resolve("password")).exists();
    }

    @Test
    @Tag("slow")
    void the_live_view_uses_the_alternate_screen_and_restores_the_first() {
        Ran ran = new Shell()
                .withTtys(new Terminal.Ttys(true, true, true))
                .with("NO_COLOR", "1")
                .ok("demo", "--seconds", "1");
        assertThat(ran.out()).contains("\u001b[?1049h", "PRODUCERS", "LISTENER", "QUEUE", "● parcels", "\u001b[?1049l");
        assertThat(ran.out().substring(ran.out().indexOf("\u001b[?1049l"))).contains("lost 0, duplicates 0");
    }

    @Test
    void bad_options_are_refused_by_name() {
        assertThat(new Shell().run("demo", "--rate", "0").complaint())
                .contains("--rate must be 1..5000")
                .contains("was 0");
        assertThat(new Shell().run("demo", "--seconds", "0").complaint()).contains("--seconds");
        assertThat(new Shell().run("demo", "--rate", "0").code()).isEqualTo(2);
    }

    @Test
    void a_data_directory_that_postrider_did_not_create_is_refused(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("letter.txt"), "dear");
        Ran ran = new Shell().run("demo", "--data", directory.toString());
        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.complaint()).contains("not made by Postrider");
    }
}
