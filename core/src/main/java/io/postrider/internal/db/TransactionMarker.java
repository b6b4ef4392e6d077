package io.postrider.internal.db;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.util.UUID;

/**
 * Marks a transaction as the one in which a handler is called, with a setting that ends with the transaction. If the handler ends
 * the transaction with its own statement, the marker is missing, and the earlier effects of the handler are no longer bound to
 * the cursor or to the job. Setting it also takes a shared lock, by which a successor finds sessions that still work for an
 * earlier owner.
 */
public final class TransactionMarker {
    private static final Sql MARK_LISTENER =
            Sql.call("db/mark_listener", "select postrider.mark_listener(:tenure)::pg_catalog.text as marked");
    private static final Sql MARK_JOB =
            Sql.call("db/mark_job", "select postrider.mark_job(:worker, :job)::pg_catalog.text as marked");
    private static final Sql MARKER =
            Sql.call("db/marker", "select pg_catalog.current_setting(:setting, true) as marker");

    private final Sql mark;
    private final Bind.Values values;
    private final String setting;
    private final String value;
    private final String boundTo;

    private TransactionMarker(Sql mark, Bind.Values values, String setting, String value, String boundTo) {
        this.mark = mark;
        this.values = values;
        this.setting = setting;
        this.value = value;
        this.boundTo = boundTo;
    }

    /** For the handler of a listener, in this tenure of it. {@code deliver()} checks the marker itself. */
    public static TransactionMarker ofListener(long tenure) {
        return new TransactionMarker(
                MARK_LISTENER,
                bind -> bind.int8("tenure", tenure),
                "postrider.tenure",
                Long.toString(tenure),
                "the cursor");
    }

    /** For the handler of a job that this worker has claimed. {@code settle()} and {@code may_settle()} check the marker themselves. */
    public static TransactionMarker ofJob(long worker, UUID job) {
        return new TransactionMarker(
                MARK_JOB,
                bind -> bind.int8("worker", worker).text("job", job.toString()),
                "postrider.job",
                job.toString(),
                "the job");
    }

    void set(Session session) {
        session.call(mark, values);
    }

    /**
     * Refuses a transaction that is not the one in which the handler was called. For settlements whose SQL does not check it.
     *
     * @throws HandlerFailedException if the marker is missing
     */
    void require(Session session) {
        boolean marked = session.one(
                        MARKER, bind -> bind.text("setting", setting), row -> value.equals(row.textOrNull("marker")))
                .orElse(false);
        if (!marked) {
            throw endedByHandler();
        }
    }

    /** Creates the exception for a settlement that has found the marker missing. */
    HandlerFailedException endedByHandler() {
        return new HandlerFailedException(new PostriderException(
                Kind.FAILED,
                "the handler ended the transaction with its own statement: its effects are no longer tied to " + boundTo
                        + ". Leave commit and rollback to Postrider"));
    }
}
