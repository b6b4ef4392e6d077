package io.postrider.cli.database;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.support.DatabaseChoice;
import io.postrider.support.DatabaseUrl;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that select the database and the schema. */
@Command
public final class DatabaseOptions {
    private final Terminal terminal;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    @Option(
            names = "--database-url",
            order = 91,
            paramLabel = "URL",
            description = "Database, as postgres://user@host:port/database or jdbc:postgresql:… (default:"
                    + " POSTRIDER_DATABASE_URL, otherwise the PSQL_* or PG* variables).")
    private @Nullable String url;

    @Option(
            names = "--direct-url",
            order = 92,
            paramLabel = "URL",
            description = "The same database without a pooler such as PgBouncer (default: POSTRIDER_DIRECT_URL,"
                    + " otherwise the database URL).")
    private @Nullable String direct;

    @Option(
            names = "--schema",
            order = 93,
            paramLabel = "NAME",
            description = "Schema of Postrider (default: POSTRIDER_SCHEMA, otherwise postrider).")
    private @Nullable String schema;

    public DatabaseOptions(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Opens a new connection each time. */
    public DataSource dataSource() {
        return url().dataSource(applicationName());
    }

    /** The data source of the direct URL, if there is one. */
    public Optional<DataSource> direct() {
        return given(direct, "POSTRIDER_DIRECT_URL")
                .map(text -> DatabaseUrl.parse(text).dataSource(applicationName()));
    }

    DatabaseUrl url() {
        return DatabaseChoice.of(
                        given(url, "POSTRIDER_DATABASE_URL").orElse(null),
                        variable -> terminal.environment().get(variable))
                .url()
                .orElseGet(() -> DatabaseUrl.fromEnvironment(Map.of())); // says what to set
    }

    /** Options with the schema and the settings of the environment. */
    public Options options() {
        return Options.defaults()
                .withSchema(given(schema, "POSTRIDER_SCHEMA").orElse("postrider"))
                .withEnvironment(terminal.environment());
    }

    /** Runs the work after checking that the server and the schema are supported. */
    public <T> T with(Function<Postrider, T> work) {
        try (Postrider postrider = Postrider.on(dataSource(), options())) {
            requireUsable(postrider);
            return work.apply(postrider);
        }
    }

    /** The same, but first sequences committed events: without a running node, a new job would not be visible. */
    public <T> T withJobs(Function<Postrider, T> work) {
        return with(postrider -> {
            try {
                postrider.jobs().sequence();
            } catch (PostriderException e) {
                if (e.kind() != PostriderException.Kind.REFUSED) {
                    throw e;
                } // a read-only role
            }
            return work.apply(postrider);
        });
    }

    /**
     * Refuses a server or a schema that this version cannot use, before anything is done. A role that may only emit cannot read the
     * version of the schema; if the schema is wrong, what the command does next fails.
     */
    public static void requireUsable(Postrider postrider) {
        try {
            postrider.migrations().requireUsable();
        } catch (PostriderException e) {
            if (!e.sqlState().equals(ExitCode.DENIED)) {
                throw e;
            }
        }
    }

    /** The application_name in pg_stat_activity. */
    private String applicationName() {
        return command.qualifiedName(" ");
    }

    private Optional<String> given(@Nullable String option, String variable) {
        return Optional.ofNullable(option)
                .or(() -> Optional.ofNullable(terminal.environment().get(variable))
                        .filter(text -> !text.isBlank()));
    }
}
