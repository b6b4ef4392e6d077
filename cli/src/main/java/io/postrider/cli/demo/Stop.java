package io.postrider.cli.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C as a wish, not an end: the demo goes on to stop in order, counts, and decides the exit code. A JVM that is told to
 * end waits for its hooks, so the hook waits for the demo.
 */
final class Stop implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "demo-stop");
    private volatile int code = 1;

    Stop() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Waits for the wish; whether it was made. */
    boolean await(Duration most) throws InterruptedException {
        return wanted.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The demo has stopped in order; this is its exit code. */
    void done(int exitCode) {
        code = exitCode;
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is ending, and the hook is what it waits for
        }
    }

    private void onSignal() {
        wanted.countDown();
        try {
            if (done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                Runtime.getRuntime().halt(code); // else it would be 130, as if it had been torn away
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
