package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.serve.TokenProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A token to try things with. The secret is read where the server reads it, and never printed. */
@Command(
        name = "token",
        header = "Make a token for the server, signed with the secret that it is configured with.",
        description = {
            "For trying things out, and for services that have no issuer of tokens. The secret is read where the server reads"
                    + " it: POSTRIDER_AUTH_SECRETS_<KEY ID>, application.yaml, --config or --set. The key that a server"
                    + " without a secret makes for itself is known to nobody: that server prints its own token."
        },
        footer = {
            "  export POSTRIDER_AUTH_SECRETS_DEV=$(openssl rand -base64 48)   also for: postrider serve",
            "  postrider token --project acme                                all of the project acme",
            "  postrider token --project acme --user ann --for 10m           what is ann's, in acme",
            "  TOKEN=$(postrider token --all)                                 an operator's"
        })
final class TokenCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofDays(366);

    private final Terminal terminal;

    @Option(names = "--project", paramLabel = "ID", description = "The project; without --user all of it is in reach.")
    private @Nullable String project;

    @Option(names = "--user", paramLabel = "ID", description = "The user, whose own events are in reach.")
    private @Nullable String user;

    @Option(names = "--all", description = "An operator's: everything is in reach, and can be steered.")
    private boolean all;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "1h", description = "How long it holds (default: 1h).")
    private String lasting = "1h";

    @Option(names = "--key", paramLabel = "ID", description = "By which secret, where there are several.")
    private @Nullable String key;

    @Option(names = "--config", paramLabel = "FILE", description = "The settings of the server, as YAML or properties.")
    private @Nullable Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting of the server, by its full name.")
    private Map<String, String> more = new LinkedHashMap<>();

    TokenCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (all == (project != null || user != null)) {
            throw PostriderException.refused("say whose token it is: --project, --user, or both; or --all alone");
        }
        Duration time = Spans.parse("--for", lasting);
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
        terminal.out().println(program.issue(settings, new TokenProgram.Wish(user, project, all, time, key)));
        return Exit.OK;
    }
}
