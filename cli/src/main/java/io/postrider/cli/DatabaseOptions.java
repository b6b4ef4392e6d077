package io.postrider.cli;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.cli.connect.DatabaseUrl;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.db.Session;
import io.postrider.db.SqlState;
import io.postrider.schema.DatabaseCheck;
import io.postrider.schema.Migrator;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which database, and which schema in it. */
@Command
final class DatabaseOptions {
    private final Terminal terminal;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    @Option(
            names = "--database-url",
            order = 91,
            paramLabel = "URL",
            description = "postgres://user@host:port/database, or jdbc:postgresql:… (default: POSTRIDER_DATABASE_URL,"
                    + " else the PG* variables).")
    private @Nullable String url;

    @Option(
            names = "--direct-url",
            order = 92,
            paramLabel = "URL",
            description = "The same database without a pooler such as PgBouncer in between (default:"
                    + " POSTRIDER_DIRECT_URL, else the database's URL).")
    private @Nullable String direct;

    @Option(
            names = "--schema",
            order = 93,
            paramLabel = "NAME",
            description = "The schema that holds the log (default: POSTRIDER_SCHEMA, else postrider).")
    private @Nullable String schema;

    DatabaseOptions(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Every connection from it is a new one. */
    DataSource dataSource() {
        return url().dataSource(applicationName());
    }

    /** The database by the direct way, if one was given. */
    Optional<DataSource> direct() {
        return given(direct, "POSTRIDER_DIRECT_URL")
                .map(text -> DatabaseUrl.parse(text).dataSource(applicationName()));
    }

    DatabaseUrl url() {
        return given(url, "POSTRIDER_DATABASE_URL")
                .map(DatabaseUrl::parse)
                .orElseGet(() -> DatabaseUrl.fromEnvironment(terminal.environment()));
    }

    Database database() {
        return new Database(dataSource(), schema());
    }

    SchemaName schema() {
        return SchemaName.of(given(schema, "POSTRIDER_SCHEMA").orElse("postrider"));
    }

    Options options() {
        return Options.defaults().withSchema(schema().text()).withEnvironment(terminal.environment());
    }

    /** Does something with a Postrider that can work with this server and schema. */
    <T> T with(Function<Postrider, T> work) {
        requireUsable(database());
        try (Postrider postrider = Postrider.on(dataSource(), options())) {
            return work.apply(postrider);
        }
    }

    /** The same, when all that is committed has a position: no node may run, and a job has just been enqueued. */
    <T> T withJobs(Function<Postrider, T> work) {
        return with(postrider -> {
            try {
                postrider.jobs().sequence();
            } catch (PostriderException e) {
                if (e.kind() != PostriderException.Kind.REFUSED) {
                    throw e;
                } // a role that may only look
            }
            return work.apply(postrider);
        });
    }

    /** Refuses a server or a schema that this Postrider cannot work with, before anything is done. */
    void requireUsable(Database database) {
        database.autocommit(session -> {
            DatabaseCheck.requireServer(session, database.schema());
            requireCurrent(session);
            return true;
        });
    }

    /** A role that may only emit cannot read which version the schema has; what it then tries tells soon enough. */
    private static void requireCurrent(Session session) {
        try {
            Migrator.requireCurrent(session);
        } catch (PostriderException e) {
            if (!SqlState.of(e).equals("42501")) {
                throw e;
            }
        }
    }

    /** What pg_stat_activity shows. */
    private String applicationName() {
        return command.qualifiedName(" ");
    }

    private Optional<String> given(@Nullable String option, String variable) {
        return Optional.ofNullable(option)
                .or(() -> Optional.ofNullable(terminal.environment().get(variable))
                        .filter(text -> !text.isBlank()));
    }
}
