package io.postrider.cli.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C into a request: the demo stops in order, counts, and decides the exit code. A terminating JVM waits for its
 * shutdown hooks, so the hook waits for the demo.
 */
final class ShutdownRequest implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "demo-stop");
    private volatile int code = 1;

    ShutdownRequest() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Waits for the request; returns whether it was made. */
    boolean await(Duration most) throws InterruptedException {
        return wanted.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The demo has stopped in order with this exit code. */
    void done(int exitCode) {
        code = exitCode;
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is shutting down and waits for the hook
        }
    }

    private void onSignal() {
        wanted.countDown();
        try {
            if (done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                Runtime.getRuntime().halt(code); // otherwise the exit code would be 130, as after a kill
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
