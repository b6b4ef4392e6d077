package io.postrider.cli.server;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import io.postrider.support.TokenProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Creates a token. The secret is read from the configuration of the server and never printed. */
@Command(
        name = "token",
        header = "Create a token for the server, signed with its configured secret.",
        description = {
            "For trials, and for services without a token issuer. Reads the secret from the configuration of the server:"
                    + " POSTRIDER_AUTH_SECRETS_<KEY ID>, application.yaml, --config or --set. A server without a secret"
                    + " generates a temporary key and prints a token for it; this command cannot use that key."
        },
        footer = {
            "  export POSTRIDER_AUTH_SECRETS_DEV=$(openssl rand -base64 48)   also used by: postrider serve",
            "  postrider token --project acme                                everything in the project acme",
            "  postrider token --project acme --user ann --for 10m           the events of ann in acme",
            "  TOKEN=$(postrider token --all)                                 everything, for an operator"
        })
public final class TokenCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofDays(366);

    private final Terminal terminal;

    @Option(
            names = "--project",
            paramLabel = "ID",
            description = "Project of the token; without --user it covers the whole project.")
    private @Nullable String project;

    @Option(names = "--user", paramLabel = "ID", description = "User of the token; it covers the events of this user.")
    private @Nullable String user;

    @Option(names = "--all", description = "Operator token: covers everything, and may change it.")
    private boolean all;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "1h",
            description = "Lifetime of the token (default: 1h).")
    private String lasting = "1h";

    @Option(names = "--key", paramLabel = "ID", description = "Id of the secret, if the server has several.")
    private @Nullable String key;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "File with the settings of the server, as YAML or properties.")
    private @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting of the server by its full name; repeatable.")
    private Map<String, String> more = new LinkedHashMap<>();

    public TokenCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (all == (project != null || user != null)) {
            throw PostriderException.refused("choose what the token covers: --project, --user or both, or --all alone");
        }
        Duration time = Durations.parse("--for", lasting);
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw PostriderException.refused("--for must be 1s.." + LONGEST.toDays() + "d, was " + lasting);
        }
        TokenProgram program = ServiceLoader.load(TokenProgram.class)
                .findFirst()
                .orElseThrow(() -> new PostriderException(
                        Kind.FAILED, "the server is not on the class path; use the script: ./postrider token"));
        Map<String, String> settings = new LinkedHashMap<>(more);
        if (config != null) {
            settings.put(ConfigFile.SETTING, ConfigFile.location(config));
        }
        terminal.out().println(program.issue(settings, new TokenProgram.TokenRequest(user, project, all, time, key)));
        return ExitCode.OK;
    }
}
