package io.postrider.internal.db;

import io.postrider.PostriderException;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The transaction in which a transactional handler of the application runs and in which its events or its job are settled.
 *
 * <pre>
 * MARKED   begun, and the {@link TransactionMarker} is set. The handler is called with a connection that cannot end the
 *          transaction. A handler that ends it all the same, by a statement, has failed.
 * CHECKED  the handler's pending writes are flushed, and the transaction can be committed. A handler that swallowed a database
 *          error has failed: the transaction is aborted, and without this check the settlement would fail in its place.
 * ENDED    committed if the work returns, rolled back if it throws. A commit that the database refuses, for example because of a
 *          deferred constraint, is a failure of the handler.
 * </pre>
 *
 * Every failure for which the handler is to blame is a {@link HandlerFailedException}; others, such as a lost connection, keep
 * their own type. A crash leaves nothing: the server rolls back.
 */
public final class HandlerTransaction {
    /** The SQLSTATE of {@code deliver()} for a transaction without its marker. */
    private static final String NOT_MARKED = "PR005";

    private final Session session;
    private final TransactionMarker marker;
    private final Connection connection;

    private HandlerTransaction(Session session, TransactionMarker marker) {
        this.session = session;
        this.marker = marker;
        this.connection = session.handlerConnection();
    }

    /**
     * Begins a marked transaction, does the work, and commits; rolls back if the work throws.
     *
     * @throws HandlerFailedException if there was no commit and the handler is to blame
     */
    public static <T> T run(Database database, TransactionMarker marker, Work<T> work) {
        try {
            return database.handlerTransaction(session -> {
                marker.set(session);
                return work.in(new HandlerTransaction(session, marker));
            });
        } catch (CommitRefusedException e) {
            throw new HandlerFailedException(e.reason());
        } catch (PostriderException e) {
            throw SqlState.of(e).equals(NOT_MARKED) ? marker.endedByHandler() : e;
        }
    }

    /**
     * Calls the handler. Must be followed by {@link #requireCommittable} or {@link #requireUncommitted}.
     *
     * @throws HandlerFailedException with the exception that the handler throws
     */
    public <T> T call(Call<T> handler) {
        try {
            return handler.with(connection);
        } catch (HandlerFailedException e) {
            throw e;
        } catch (Throwable e) {
            throw new HandlerFailedException(e);
        }
    }

    /** After a handler whose effects are to be committed: flushes its writes and refuses a transaction that is ended or aborted. */
    public void requireCommittable() {
        call(handler -> {
            session.flush();
            requireOpen();
            if (session.isAborted()) {
                throw new SQLException(
                        "the handler swallowed a database error: its transaction is aborted and cannot commit."
                                + " Throw the error, or roll back to a savepoint");
            }
            return true;
        });
    }

    /** After a handler whose effects are to be rolled back: refuses if the handler has already committed them. */
    public void requireUncommitted() {
        call(handler -> {
            requireOpen();
            if (!session.isAborted()) {
                marker.require(session);
            }
            return true;
        });
    }

    /** For a settlement whose SQL does not check the marker: refuses a transaction that is not the one of the handler. */
    public void requireMarked() {
        marker.require(session);
    }

    private void requireOpen() {
        if (!session.isOpen()) {
            throw endedByHandler();
        }
    }

    /** Creates the exception for a settlement that has found the marker missing. */
    public HandlerFailedException endedByHandler() {
        return marker.endedByHandler();
    }

    /** The session for the statements that settle. */
    public Session session() {
        return session;
    }

    /** The work of a transaction: call the handler, then settle. */
    @FunctionalInterface
    public interface Work<T> {
        T in(HandlerTransaction transaction);
    }

    /** A call of the handler. */
    @FunctionalInterface
    public interface Call<T> {
        T with(Connection connection) throws Exception;
    }
}
