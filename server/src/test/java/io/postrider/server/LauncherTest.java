package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options that {@code ./postrider} gives to Java, as its own function prints them. */
class LauncherTest {
    private static String options(String module, String command) throws IOException {
        String script = Files.readString(Path.of("..", "postrider"));
        int begin = script.indexOf("\njava_options() {");
        String function = script.substring(begin, script.indexOf("\n}\n", begin) + 3);
        Process bash = new ProcessBuilder(
                        "bash", "-euc", "module=" + module + "\n" + function + "java_options " + command)
                .redirectErrorStream(true)
                .start();
        return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** One that lives on without the thread that accepts connections answers nobody, and no supervisor notices. */
    @ParameterizedTest
    @CsvSource({"server, serve", "demo, demo"})
    void a_server_ends_when_it_is_out_of_memory(String module, String command) throws IOException {
        assertThat(options(module, command)).isEqualTo("-XX:+ExitOnOutOfMemoryError\n");
    }
}
