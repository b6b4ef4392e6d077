package io.postrider.internal.threads;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads for handlers: virtual where the runtime has them (21 and later), else ordinary daemon threads. */
public final class HandlerThreads {
    /** Long enough for listeners that check every second, short enough that a start with many of them leaves no threads behind. */
    private static final int IDLE_SECONDS = 5;

    private HandlerThreads() {}

    public static ExecutorService executor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), named("handler"));
        }
    }

    /** One thread that ends waits; its tasks must be fast. */
    public static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named("timer"));
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private static ThreadFactory named(String role) {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, "postrider-" + role + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
