package io.postrider;

import java.sql.Connection;
import java.util.List;

/**
 * The code that a listener runs for its events. If it throws, the event is retried. One thread calls it at a time, unless stated
 * otherwise.
 */
public interface Handler {
    /** Handles one event inside the transaction in which the cursor moves. */
    @FunctionalInterface
    interface Transactional extends Handler {
        /** Use the connection for your writes, but do not commit, roll back or close it: Postrider does. */
        void handle(Connection connection, LogEvent event) throws Exception;
    }

    /** Handles a batch inside the transaction in which the cursor moves. */
    @FunctionalInterface
    interface TransactionalBatch extends Handler {
        /** As for one event. If it throws, the batch is halved until the event that fails is alone. */
        void handle(Connection connection, List<LogEvent> events) throws Exception;
    }

    /** Handles one event outside any transaction; it may be called again for the same event after a crash. */
    @FunctionalInterface
    interface Relay extends Handler {
        /**
         * With a concurrency above 1, several threads call it at the same time, for different keys. If it throws
         * {@link UnavailableException}, no attempt is counted.
         */
        void handle(LogEvent event) throws Exception;
    }

    /** Handles a batch outside any transaction. */
    @FunctionalInterface
    interface RelayBatch extends Handler {
        /** As for one event. If it throws, the batch is halved until the event that fails is alone. */
        void handle(List<LogEvent> events) throws Exception;
    }

    /** Sends the events to a sink, outside any transaction. */
    record ToSink(Sink sink) implements Handler {
        public ToSink {
            Refuse.missing("sink", sink);
        }
    }
}
