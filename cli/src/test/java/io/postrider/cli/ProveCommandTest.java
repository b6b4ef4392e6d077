package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The script runs the proofs; the command line has only their help. */
@Tag("once")
class ProveCommandTest {
    @Test
    void the_list_has_each_proof_with_its_full_counts() throws Exception {
        Result result = script("--list");
        assertThat(result.output())
                .containsPattern("(?m)^WorkerDeath +200 kills, 50 freezes$")
                .containsPattern("(?m)^ProcessDeath +50 kills$")
                .containsPattern("(?m)^HugeTransaction +5,000,000 giant, 5,000,000 backlog$")
                .containsPattern("(?m)^Protocols +every schedule$");
        assertThat(result.exitCode()).isZero();
        assertThat(script("--list", "--json", "WorkerDeath").output())
                .isEqualTo("{\"name\":\"WorkerDeath\",\"counts\":\"200 kills, 50 freezes\"}\n");
    }

    @Test
    void the_help_names_proofs_that_exist() throws Exception {
        String examples = String.join(
                "\n",
                new Shell()
                        .run("prove", "--help").lines().stream()
                                .filter(line -> line.startsWith("  postrider prove "))
                                .toList());
        assertThat(names("\\b[A-Z]\\w+", examples))
                .contains("WorkerDeath")
                .isSubsetOf(names("(?m)^\\w+", script("--list").output()));
    }

    private static List<String> names(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }

    @Test
    void an_unknown_proof_option_or_seed_is_refused_by_name() throws Exception {
        Result unknown = script("WorkerDeath", "Nonsense");
        assertThat(unknown.output())
                .startsWith("postrider: unknown proof 'Nonsense'; there are ")
                .contains("ProcessDeath");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(script("--often").output()).contains("unknown option '--often'");
        assertThat(script("--seed", "many").output()).contains("--seed must be a number, was 'many'");
    }

    @Test
    void without_the_script_it_says_how_to_run_the_proofs() {
        Ran ran = new Shell().run("prove");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.complaint()).contains("./postrider prove");
    }

    private record Result(int exitCode, String output) {}

    private static Result script(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(Path.of("..", "postrider").toRealPath().toString(), "prove"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
