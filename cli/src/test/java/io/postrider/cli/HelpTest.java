package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.terminal.Terminal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {
    private final Shell shell = new Shell();

    @Test
    void help_lists_every_command() {
        Ran ran = shell.ok("--help");
        assertThat(ran.out())
                .contains("migrate", "emit", "tail", "listeners", "dead-letters", "pause", "resume", "reset", "doctor")
                .contains("adopt", "verify", "bench", "prove", "demo", "serve", "token", "completion");
        assertThat(ran.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "migrate",
                "migrate plan",
                "uninstall",
                "topics",
                "topics require",
                "topics requirements",
                "queues lease",
                "emit",
                "tail",
                "listeners",
                "dead-letters",
                "dead-letters list",
                "dead-letters show",
                "dead-letters replay",
                "dead-letters discard",
                "adopt",
                "adopt plan",
                "adopt bridge",
                "adopt import",
                "adopt mirror",
                "adopt cursor",
                "adopt status",
                "adopt finish",
                "adopt undo",
                "pause",
                "resume",
                "reset",
                "doctor",
                "verify",
                "bench",
                "prove",
                "demo",
                "serve",
                "token",
                "completion"
            })
    void the_help_of_every_command_begins_with_examples(String command) {
        List<String> lines = shell.ok((command + " --help").split(" ")).lines();
        assertThat(lines.get(2)).isEqualTo("Examples:");
        assertThat(lines.get(3)).contains("postrider");
        assertThat(lines.indexOf("Examples:"))
                .isLessThan(lines.indexOf(lines.stream()
                        .filter(line -> line.startsWith("Usage:"))
                        .findFirst()
                        .orElseThrow()));
    }

    @Test
    void without_a_command_the_help_goes_to_standard_error() {
        Ran ran = shell.run();
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).contains("Commands:");
    }

    @Test
    void a_mistyped_command_is_guessed() {
        Ran ran = shell.run("tial", "orders");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).isEqualTo("postrider: unknown command 'tial'; did you mean 'tail'?");
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void a_mistyped_option_is_guessed() {
        Ran ran = shell.run("tail", "orders", "--folow");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).isEqualTo("postrider: unknown option '--folow'; did you mean '--follow'?");
    }

    @Test
    void a_mistyped_subcommand_is_guessed() {
        Ran ran = shell.run("dead-letters", "lsit");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("did you mean 'list'?");
    }

    @Test
    void a_missing_argument_is_a_usage_error() {
        assertThat(shell.run("tail").code()).isEqualTo(2);
        assertThat(shell.run("pause").code()).isEqualTo(2);
        assertThat(shell.run("tail", "orders", "--limit", "many").code()).isEqualTo(2);
    }

    @Test
    void version_prints_the_version() {
        assertThat(shell.ok("--version").line()).startsWith("postrider ");
    }

    @Test
    void there_are_no_colours_without_a_terminal_or_with_no_color() {
        assertThat(shell.ok("--help").out()).doesNotContain("\u001b");
        shell.withTtys(new Terminal.Ttys(true, true, true));
        assertThat(shell.ok("--help").out()).contains("\u001b");
        assertThat(shell.with("NO_COLOR", "1").ok("--help").out()).doesNotContain("\u001b");
    }

    @Test
    void the_completion_is_a_script_that_bash_reads() throws Exception {
        String script = shell.ok("completion").out();
        assertThat(script).contains("dead-letters", "--follow");
        Process bash =
                new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
        bash.getOutputStream().write(script.getBytes(StandardCharsets.UTF_8));
        bash.getOutputStream().close();
        assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(bash.waitFor()).isZero();
    }

    @Test
    void completion_accepts_the_name_of_the_shell() {
        String script = shell.ok("completion").out();
        assertThat(shell.ok("completion", "bash").out()).isEqualTo(script);
        assertThat(shell.ok("completion", "zsh").out()).isEqualTo(script);
        assertThat(script).contains("compinit"); // what zsh needs to read it
        Ran ran = shell.run("completion", "fish");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.complaint()).contains("bash", "zsh");
    }

    @Test
    void a_token_needs_a_subject_and_a_valid_lifetime() {
        assertThat(shell.run("token").complaint()).contains("--project", "--user", "--all");
        assertThat(shell.run("token", "--all", "--user", "ann").code()).isEqualTo(2);
        assertThat(shell.run("token", "--all", "--for", "0s").complaint()).contains("--for must be 1s..366d");
        assertThat(shell.run("token", "--all", "--for", "soon").code()).isEqualTo(2);
    }

    @Test
    void serve_without_the_server_module_says_how_to_start_it() {
        Ran ran = shell.run("serve", "--roles", "api");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.complaint()).contains("./postrider serve");
    }

    @Test
    void bench_reads_its_own_options() {
        Ran ran = shell.run("bench", "nonsense");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.err()).contains("nonsense");
    }
}
