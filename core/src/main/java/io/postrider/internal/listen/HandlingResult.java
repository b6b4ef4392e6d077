package io.postrider.internal.listen;

import io.postrider.SendResult;
import io.postrider.UnavailableException;
import java.time.Duration;

/**
 * The result of handling some events in order. {@code handled} is always the number of events, from the first on, that were
 * handled; for a transactional listener their effects are rolled back with the rest.
 */
sealed interface HandlingResult {
    /** All were handled, and the settlement is committed. */
    record Delivered() implements HandlingResult {}

    /**
     * The next event failed.
     *
     * @param notBefore the shortest wait before it is tried again
     */
    record Failed(int handled, Throwable error, Duration notBefore) implements HandlingResult {
        Failed(int handled, Throwable error) {
            this(handled, error, Duration.ZERO);
        }
    }

    /** One of several events failed, and it is unknown which. */
    record FailedInBatch(Throwable error) implements HandlingResult {}

    /** The sink of a relay accepts no more for now. Nothing failed. */
    record PartlyTaken(int handled) implements HandlingResult {}

    /**
     * The sink of a relay, or the system that its handler calls, was unavailable for the next event. No event is to blame.
     *
     * @param notBefore the shortest wait that the sink or the handler asks for
     */
    record Unavailable(int handled, Throwable error, Duration notBefore) implements HandlingResult {
        Unavailable(int handled, UnavailableException error) {
            this(handled, error, error.retryAfter());
        }
    }

    /** All were handled outside of any transaction, and the settlement failed. */
    record NotRecorded(RuntimeException error) implements HandlingResult {}

    /** Another node has moved the listener. The transaction is rolled back, with whatever was done in it. */
    record OwnershipLost() implements HandlingResult {}

    /** The result that a sink returns for the events it was sent. */
    static HandlingResult of(SendResult result) {
        Throwable error = result.error();
        if (error == null) {
            return result.isWhole() ? new Delivered() : new PartlyTaken(result.taken());
        }
        Duration notBefore = result.retryAfter() == null ? Duration.ZERO : result.retryAfter();
        return result.isUnavailable()
                ? new Unavailable(result.taken(), error, notBefore)
                : new Failed(result.taken(), error, notBefore);
    }

    /** The result when an exception ended the handling of {@code events} events and it is unknown at which. */
    static HandlingResult ofThrown(Throwable error, int events) {
        return events == 1 ? new Failed(0, error) : new FailedInBatch(error);
    }

    /** Rethrows an error for which no event is to blame: an interrupt, or a virtual machine that cannot go on. */
    static void rethrowUnlessByEvent(Throwable error) throws InterruptedException {
        if (error instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        if (error instanceof VirtualMachineError fatal && !(error instanceof StackOverflowError)) {
            throw fatal;
        }
    }
}
