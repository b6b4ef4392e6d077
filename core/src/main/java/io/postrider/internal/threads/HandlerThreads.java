package io.postrider.internal.threads;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads for handlers: virtual where the runtime has them (21 and later), else ordinary daemon threads. */
public final class HandlerThreads {
    private HandlerThreads() {}

    public static ExecutorService executor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return Executors.newCachedThreadPool(named());
        }
    }

    private static ThreadFactory named() {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, "postrider-handler-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
