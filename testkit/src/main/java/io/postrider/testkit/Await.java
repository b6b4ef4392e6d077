package io.postrider.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a condition holds, and reports the condition if it never does. It polls often (every 1 to 20 ms), so a test takes
 * only as long as the condition does, unlike one with a fixed sleep.
 */
public final class Await {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long FIRST_LOOK_NANOS = Duration.ofMillis(1).toNanos();
    private static final long LAST_LOOK_NANOS = Duration.ofMillis(20).toNanos();

    private Await() {}

    /** Waits at most 60 s; only a failing test takes that long. */
    public static void until(String what, Callable<Boolean> condition) {
        until(what, TIMEOUT, condition);
    }

    /**
     * Waits until the condition holds.
     *
     * @param what the condition as it should appear in the failure: "listener reached position 5"
     * @throws AssertionError if it does not hold in time; its cause is the last exception of the condition, if any
     */
    public static void until(String what, Duration timeout, Callable<Boolean> condition) {
        value(what, timeout, () -> condition.call() ? Optional.of(true) : Optional.empty());
    }

    /** Waits until a value is present, and returns it. */
    public static <T> T value(String what, Duration timeout, Callable<Optional<T>> source) {
        long end = System.nanoTime() + timeout.toNanos();
        long pause = FIRST_LOOK_NANOS;
        while (true) {
            Exception last = null;
            try {
                Optional<T> value = source.call();
                if (value.isPresent()) {
                    return value.get();
                }
            } catch (Exception e) {
                last = e; // a database that is restarting throws only for a while
            }
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError("not within " + timeout.toMillis() + " ms: " + what + describe(last), last);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("interrupted while waiting for: " + what, last);
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(pause * 2, LAST_LOOK_NANOS);
        }
    }

    private static String describe(@Nullable Exception last) {
        return last == null ? "" : " (" + last + ")";
    }
}
