package io.postrider;

import java.sql.Connection;
import java.util.List;

/** What a listener does with events. An exception means: try again. Called by one thread at a time unless said otherwise. */
public interface Handler {
    /** Handles one event inside the transaction in which the cursor moves. */
    @FunctionalInterface
    interface Transactional extends Handler {
        /** The connection is the transaction's: use it, and leave commit, rollback and close to Postrider. */
        void handle(Connection connection, LogEvent event) throws Exception;
    }

    /** Handles a batch inside the transaction in which the cursor moves. */
    @FunctionalInterface
    interface TransactionalBatch extends Handler {
        /** As for one event. If it throws, the batch is halved until the event that fails stands alone. */
        void handle(Connection connection, List<LogEvent> events) throws Exception;
    }

    /** Handles one event outside any transaction; it may be called again for the same event after a crash. */
    @FunctionalInterface
    interface Relay extends Handler {
        /** With a concurrency above 1 it is called by several threads, for different keys. */
        void handle(LogEvent event) throws Exception;
    }

    /** Handles a batch outside any transaction. */
    @FunctionalInterface
    interface RelayBatch extends Handler {
        /** As for one event. If it throws, the batch is halved until the event that fails stands alone. */
        void handle(List<LogEvent> events) throws Exception;
    }

    /** Sends to a sink, outside any transaction. */
    record ToSink(Sink sink) implements Handler {
        public ToSink {
            Refuse.missing("sink", sink);
        }
    }
}
