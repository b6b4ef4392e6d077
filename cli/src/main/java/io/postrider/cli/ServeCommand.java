package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.serve.ServerProgram;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The server: one program, in one role or in several. */
@Command(
        name = "serve",
        header = "Serve the HTTP API, the gateway to browsers, and the work behind them.",
        description = {
            "One program in any combination of three roles: api (HTTP under /v1), gateway (streams to browsers) and worker"
                    + " (relays, the read model, retention). Every role answers /health/live, /health/ready and /metrics.",
            "Without a database it starts an embedded PostgreSQL, and says so. Without keys it serves this machine only,"
                    + " with a key of its own that is gone when it ends; for others it needs postrider.auth.secrets or"
                    + " postrider.auth.public-keys.",
            "Every setting can also stand in application.yaml, or in the environment: postrider.http.port is"
                    + " POSTRIDER_HTTP_PORT there."
        },
        footer = {
            "  postrider serve                             all roles on 127.0.0.1:8080, embedded database",
            "  postrider serve --roles api,gateway --port 8080 --topics orders",
            "  postrider serve --roles worker --port 8081",
            "  postrider serve --bind 0.0.0.0 --config server.yaml",
            "  postrider serve --data /var/lib/postrider   keeps the embedded database"
        })
final class ServeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--roles", paramLabel = "ROLES", description = "Of api, gateway, worker (default: all of them).")
    private @Nullable String roles;

    @Option(names = "--port", paramLabel = "N", description = "Where to listen; 0: anywhere (default: 8080).")
    private @Nullable Integer port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "The address to listen on (default: 127.0.0.1, this machine only).")
    private @Nullable String bind;

    @Option(
            names = "--topics",
            paramLabel = "TOPICS",
            description = "What browsers may hear through the gateway, with commas between.")
    private @Nullable String topics;

    @Option(names = "--config", paramLabel = "FILE", description = "More settings, as YAML or properties.")
    private @Nullable Path config;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the embedded database here (default: it goes with the server).")
    private @Nullable Path data;

    @Option(
            names = "--log",
            paramLabel = "FORM",
            description = "json, or text (default: text on a terminal, else json).")
    private @Nullable String log;

    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description = "postgres://user@host:port/database (default: POSTRIDER_DATABASE_URL, else the PSQL_* or PG*"
                    + " variables, else an embedded database).")
    private @Nullable String url;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Any setting by its full name, such as postrider.relays.audit.type=webhook.")
    private Map<String, String> more = new LinkedHashMap<>();

    ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ServerProgram server = ServiceLoader.load(ServerProgram.class)
                .findFirst()
                .orElseThrow(() -> new PostriderException(
                        Kind.FAILED, "the server is not on the class path; start it by the script: ./postrider serve"));
        return server.run(terminal, settings());
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>(more);
        put(settings, "postrider.roles", roles);
        put(settings, "postrider.http.port", port);
        put(settings, "postrider.http.bind", bind);
        put(settings, "postrider.gateway.topics", topics);
        put(settings, "postrider.embedded.data", data);
        put(settings, "postrider.database-url", url);
        put(settings, "postrider.log", log == null ? (terminal.ttys().out() ? "text" : null) : log);
        put(settings, "logging.level.io.postrider", isVerbose() ? "debug" : null);
        put(settings, ConfigFile.SETTING, config == null ? null : ConfigFile.location(config));
        return settings;
    }

    private boolean isVerbose() {
        return spec.commandLine().getParseResult().hasMatchedOption(CommonOptions.VERBOSE);
    }

    private static void put(Map<String, String> settings, String key, @Nullable Object value) {
        if (value != null) {
            settings.put(key, value.toString());
        }
    }
}
