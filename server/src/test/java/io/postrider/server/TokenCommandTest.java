package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.Main;
import io.postrider.cli.terminal.Terminal;
import io.postrider.gateway.Identity;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.ServerSettings;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code postrider token}: what it makes is believed by a server with the same settings, and the secret stays where it is. */
class TokenCommandTest {
    private final String secret = LiveServer.newSecret();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        out.reset();
        err.reset();
        List<String> command = new ArrayList<>(List.of("token"));
        command.addAll(Arrays.asList(arguments));
        Terminal terminal = new Terminal(
                InputStream.nullInputStream(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Map.of(),
                Terminal.Ttys.NONE);
        int code = Main.run(terminal, command.toArray(String[]::new));
        assertThat(out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8))
                .doesNotContain(secret);
        return code;
    }

    private Identity issued(Map<String, String> secrets, String... arguments) {
        assertThat(run(arguments)).as(err.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(err.size()).isZero();
        ServerSettings.Auth auth = new ServerSettings.Auth("postrider", "postrider", secrets, Map.of());
        return Keyring.of(auth, "0.0.0.0")
                .tokens()
                .verify(out.toString(StandardCharsets.UTF_8).strip());
    }

    @Test
    void a_token_of_a_project_of_a_user_and_of_an_operator_is_believed_by_the_server() {
        String set = "--set=postrider.auth.secrets.dev=" + secret;
        Map<String, String> secrets = Map.of("dev", secret, "other", LiveServer.newSecret());
        Identity project = issued(secrets, set, "--project=acme");
        assertThat(project.reach()).isEqualTo(Identity.Reach.PROJECT);
        assertThat(project.project()).isEqualTo("acme");
        Identity ann = issued(secrets, set, "--project=acme", "--user=ann", "--for=10m");
        assertThat(ann.reach()).isEqualTo(Identity.Reach.USER);
        assertThat(ann.subject()).isEqualTo("ann");
        assertThat(ann.project()).isEqualTo("acme");
        assertThat(ann.expires())
                .isBetween(
                        Instant.now(),
                        Instant.now().plus(Duration.ofMinutes(10)).plusSeconds(1));
        assertThat(issued(secrets, set, "--all").isOperator()).isTrue();
    }

    @Test
    void the_secret_is_read_from_the_server_s_file_and_named_where_there_are_several(@TempDir Path directory)
            throws Exception {
        Path file = Files.writeString(directory.resolve("server.yaml"), """
                postrider:
                  auth:
                    secrets:
                      old: "%s"
                      new: "%s"
                """.formatted(LiveServer.newSecret(), secret));
        assertThat(run("--all", "--config=" + file)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--key must be one of [new, old]");
        assertThat(issued(Map.of("new", secret), "--all", "--key=new", "--config=" + file)
                        .isOperator())
                .isTrue();
    }

    @Test
    void without_a_secret_or_with_a_name_that_is_none_it_says_what_to_do() {
        assertThat(run("--all")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no secret is configured", "openssl rand");
        assertThat(run("--user=a b", "--set=postrider.auth.secrets.dev=" + secret))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("must match");
        assertThat(run("--all", "--set=postrider.auth.secrets.dev=short")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("at least 32 bytes");
    }
}
