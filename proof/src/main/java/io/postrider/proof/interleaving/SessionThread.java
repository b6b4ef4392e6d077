package io.postrider.proof.interleaving;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one session, which takes one step at a time from the conductor.
 *
 * <pre>
 * IDLE      nothing to do              ends when the conductor hands over a step
 * HANDED    a step is waiting          ends when the thread wakes up and takes it
 * RUNNING   executes a step            ends when the step returns or throws; only in this state can it be checked for locks
 * ENDED     an outcome is waiting      ends when the conductor takes it: IDLE again
 * </pre>
 *
 * <p>The conductor writes in IDLE and ENDED, the thread in HANDED and RUNNING, so one volatile field is all they share.
 */
final class SessionThread<R> {
    private enum State {
        IDLE,
        HANDED,
        RUNNING,
        ENDED
    }

    private static final long CLOSING_MILLIS = 1_000;

    private final R resource;
    private final Thread thread;
    private volatile State state = State.IDLE;
    private volatile boolean closed;
    private Step<R> step = r -> {};
    private Thread conductor = Thread.currentThread();
    private @Nullable Throwable failure;

    SessionThread(Session<R> session) {
        resource = session.resource();
        thread = new Thread(this::work, "session-" + session.name());
        thread.setDaemon(true);
        thread.start();
    }

    R resource() {
        return resource;
    }

    Thread thread() {
        return thread;
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean hasEnded() {
        return state == State.ENDED;
    }

    /** Hands a step to an idle session. */
    void hand(Step<R> next) {
        if (!isIdle()) {
            throw new IllegalStateException("the session is " + state);
        }
        conductor = Thread.currentThread();
        step = next;
        state = State.HANDED;
        LockSupport.unpark(thread);
    }

    /** Takes the outcome of a step that has ended: its failure, or null. */
    @Nullable
    Throwable take() {
        Throwable taken = failure;
        failure = null;
        state = State.IDLE;
        return taken;
    }

    /** Called by the conductor: waits until the step has ended or the timeout is over; may return early. */
    void awaitEnd(long nanos) {
        // Spinning first was slower, 3.4 ms against 2.3 for 14 steps of 0.1 ms: with more threads than processors the
        // spinning thread keeps the working one from waking up. Without it, 14 empty steps take 0.15 to 0.4 ms.
        if (!hasEnded()) {
            LockSupport.parkNanos(this, nanos);
        }
    }

    /** Ends the thread; a thread whose step ignores the interrupt is abandoned. */
    void close() throws InterruptedException {
        closed = true;
        thread.interrupt();
        thread.join(CLOSING_MILLIS);
    }

    private void work() {
        while (awaitStep()) {
            // An interrupt meant for the previous step must not reach this one.
            Thread.interrupted();
            state = State.RUNNING;
            try {
                step.run(resource);
            } catch (Throwable t) {
                failure = t;
            }
            Thread waiting = conductor;
            state = State.ENDED;
            LockSupport.unpark(waiting);
        }
    }

    private boolean awaitStep() {
        while (state != State.HANDED && !closed) {
            LockSupport.park(this);
            // Otherwise every following park would return at once.
            Thread.interrupted();
        }
        return !closed;
    }
}
