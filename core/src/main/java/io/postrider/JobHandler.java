package io.postrider;

import java.sql.Connection;

/** What a worker does with jobs of one type. Called by several threads at once, each with another job. */
public interface JobHandler {
    /** Does the job outside any transaction. After a crash it may be called again for the same job: make that harmless. */
    @FunctionalInterface
    interface Plain extends JobHandler {
        /** Says what became of the job; an exception means {@link Fate#retry()}. */
        Fate handle(ClaimedJob job) throws Exception;
    }

    /** Does the job inside the transaction in which it is settled: its effects in the database happen exactly once. */
    @FunctionalInterface
    interface Transactional extends JobHandler {
        /**
         * The connection is the transaction's: use it, and leave commit, rollback and close to Postrider. Only {@link
         * Fate.Done} commits; with any other fate, what was done is rolled back.
         */
        Fate handle(Connection connection, ClaimedJob job) throws Exception;
    }

    /** As {@link Plain}, with the payload as an object. */
    @FunctionalInterface
    interface Typed<T> {
        /** Says what became of the job; an exception means {@link Fate#retry()}. */
        Fate handle(T payload, ClaimedJob job) throws Exception;
    }

    /** As {@link Transactional}, with the payload as an object. */
    @FunctionalInterface
    interface TypedTransactional<T> {
        /** As for {@link Transactional}. */
        Fate handle(Connection connection, T payload, ClaimedJob job) throws Exception;
    }
}
