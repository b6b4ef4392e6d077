package io.postrider;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Work beside the test's own thread, a thread for each: the common pool of a machine with two cores has one. */
public final class Background {
    private static final Executor THREAD_EACH = work -> {
        Thread thread = new Thread(work, "test-background");
        thread.setDaemon(true);
        thread.start();
    };

    private Background() {}

    public static CompletableFuture<Void> run(Runnable work) {
        return CompletableFuture.runAsync(work, THREAD_EACH);
    }

    public static <T> CompletableFuture<T> get(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, THREAD_EACH);
    }
}
