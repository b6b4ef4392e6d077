package io.postrider.cli.server;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.terminal.CommonOptions;
import io.postrider.cli.terminal.Terminal;
import io.postrider.support.ServerProgram;
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

/** Runs the server in one or more roles. */
@Command(
        name = "serve",
        header = "Run the server: HTTP API, gateway and worker.",
        description = {
            "Runs any combination of three roles: api (HTTP under /v1), gateway (streams to browsers) and worker (runs the"
                    + " relays, records the event log, and runs the listeners and jobs of an application that embeds the server)."
                    + " Every role serves /health/live, /health/ready and /metrics.",
            "Without a database it starts an embedded PostgreSQL. Without keys it generates a temporary key and accepts only"
                    + " local connections; to serve other machines, set postrider.auth.secrets or postrider.auth.public-keys.",
            "Every setting can also be set in application.yaml or in the environment: postrider.http.port is"
                    + " POSTRIDER_HTTP_PORT there."
        },
        footer = {
            "  postrider serve                             all roles on 127.0.0.1:8080, embedded database",
            "  postrider serve --roles api,gateway --port 8080 --topics orders",
            "  postrider serve --roles worker --port 8081",
            "  postrider serve --bind 0.0.0.0 --config server.yaml",
            "  postrider serve --data /var/lib/postrider   keep the embedded database"
        })
public final class ServeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--roles",
            paramLabel = "ROLES",
            description = "Comma-separated roles: api, gateway, worker (default: all).")
    private @Nullable String roles;

    @Option(names = "--port", paramLabel = "N", description = "Port to listen on; 0 picks a free port (default: 8080).")
    private @Nullable Integer port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "Address to listen on (default: 127.0.0.1, local connections only).")
    private @Nullable String bind;

    @Option(names = "--topics", paramLabel = "TOPICS", description = "Comma-separated topics that the gateway serves.")
    private @Nullable String topics;

    @Option(names = "--config", paramLabel = "FILE", description = "File with settings, as YAML or properties.")
    private @Nullable Path config;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the embedded database in this directory (default: delete it at the end).")
    private @Nullable Path data;

    @Option(
            names = "--log",
            paramLabel = "FORMAT",
            description = "Log format: json or text (default: text on a terminal, otherwise json).")
    private @Nullable String log;

    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description =
                    "Database, as postgres://user@host:port/database (default: POSTRIDER_DATABASE_URL, otherwise the"
                            + " PSQL_* or PG* variables, otherwise an embedded database).")
    private @Nullable String url;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Any setting by its full name, such as postrider.relays.audit.type=webhook; repeatable.")
    private Map<String, String> more = new LinkedHashMap<>();

    public ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ServerProgram server = ServiceLoader.load(ServerProgram.class)
                .findFirst()
                .orElseThrow(() -> new PostriderException(
                        Kind.FAILED, "the server is not on the class path; start it by the script: ./postrider serve"));
        return server.run(terminal::say, settings());
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
