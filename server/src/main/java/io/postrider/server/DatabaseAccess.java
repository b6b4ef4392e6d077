package io.postrider.server;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.embedded.EmbeddedPostgresException;
import io.postrider.embedded.EmbeddedPostgresOptions;
import io.postrider.server.settings.ServerSettings;
import io.postrider.support.DatabaseChoice;
import io.postrider.support.DatabaseUrl;
import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Access to the database. If none is configured, starts an embedded one that runs as long as the server does. */
final class DatabaseAccess implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseAccess.class);

    private final DataSource dataSource;
    private final @Nullable EmbeddedPostgres embedded;

    private DatabaseAccess(DataSource dataSource, @Nullable EmbeddedPostgres embedded) {
        this.dataSource = dataSource;
        this.embedded = embedded;
    }

    static DatabaseAccess of(ServerSettings settings, Environment environment) {
        DatabaseChoice choice = DatabaseChoice.of(settings.databaseUrl(), environment::getProperty);
        if (choice.url().isEmpty()) {
            return embedded(settings.embedded().data());
        }
        DatabaseUrl url = choice.url().get();
        log.info("database_chosen url={} by=\"{}\"", url, choice.source());
        return new DatabaseAccess(url.dataSource("postrider-server", Map.of()), null);
    }

    private static DatabaseAccess embedded(@Nullable String data) {
        EmbeddedPostgresOptions options = EmbeddedPostgresOptions.defaults();
        try {
            EmbeddedPostgres postgres =
                    EmbeddedPostgres.start(data == null ? options : options.withDataDirectory(Path.of(data)));
            log.warn(
                    "database_embedded version={} port={} kept_in={} no database is configured (postrider.database-url,"
                            + " PSQL_HOST, PGHOST): an embedded one was started",
                    postgres.version(),
                    postgres.port(),
                    data == null
                            ? "temporary, deleted when the server ends (set postrider.embedded.data to keep it)"
                            : data);
            return new DatabaseAccess(postgres.dataSource("postgres"), postgres);
        } catch (EmbeddedPostgresException e) {
            throw new PostriderException(Kind.FAILED, "the embedded database does not start: " + e.getMessage(), e);
        }
    }

    /** Opens a new connection each time. */
    DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
