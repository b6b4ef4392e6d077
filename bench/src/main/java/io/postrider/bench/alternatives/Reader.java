package io.postrider.bench.alternatives;

import io.postrider.bench.database.BenchDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.function.Consumer;

/** One way to read events: its tables, how a producer writes an event, and how a reader finds it. */
interface Reader {
    /** Its name in the report. */
    String name();

    void install(BenchDatabase database) throws SQLException;

    /** Writes one event in the caller's transaction. */
    void write(Connection connection, UUID id, long number) throws SQLException;

    /** Goes on to read where the last reading ended, and hands each event to the handler. Close to stop. */
    Reading start(BenchDatabase database, Consumer<UUID> handler) throws SQLException;

    /** A reader that runs. */
    interface Reading extends AutoCloseable {
        @Override
        void close() throws Exception;
    }
}
