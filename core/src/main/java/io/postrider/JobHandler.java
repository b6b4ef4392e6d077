package io.postrider;

import java.sql.Connection;

/** The code that a worker runs for jobs of one type. Several threads call it at the same time, each with a different job. */
public interface JobHandler {
    /** Runs the job outside any transaction. It may be called again for the same job after a crash, so it must be idempotent. */
    @FunctionalInterface
    interface Plain extends JobHandler {
        /**
         * Returns the outcome of the job. An exception has the same effect as {@link Fate#retry()}, except
         * {@link UnavailableException}, which has that of {@link Fate#unavailable}. {@link CodedException} gives the failure a
         * code.
         */
        Fate handle(ClaimedJob job) throws Exception;
    }

    /** Runs the job inside the transaction in which it is settled: its effects in the database happen exactly once. */
    @FunctionalInterface
    interface Transactional extends JobHandler {
        /**
         * Use the connection for your writes, but do not commit, roll back or close it: Postrider does. Only {@link Fate.Done}
         * commits; any other fate rolls back what the handler wrote.
         */
        Fate handle(Connection connection, ClaimedJob job) throws Exception;
    }

    /** Like {@link Plain}, with the payload converted to an object. */
    @FunctionalInterface
    interface Typed<T> {
        /**
         * Returns the outcome of the job. An exception has the same effect as {@link Fate#retry()}, except
         * {@link UnavailableException}, which has that of {@link Fate#unavailable}. {@link CodedException} gives the failure a
         * code.
         */
        Fate handle(T payload, ClaimedJob job) throws Exception;
    }

    /** Like {@link Transactional}, with the payload converted to an object. */
    @FunctionalInterface
    interface TypedTransactional<T> {
        /** See {@link Transactional#handle}. */
        Fate handle(Connection connection, T payload, ClaimedJob job) throws Exception;
    }
}
