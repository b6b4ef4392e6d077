package io.postrider.gateway.internal.hub;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates named daemon threads. */
public final class Threads {
    private Threads() {}

    public static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setContextClassLoader(Threads.class.getClassLoader()); // not that of the first request
            return thread;
        };
    }

    /** At most this many threads, none while idle. Tasks submitted after shutdown are dropped. */
    public static ExecutorService pool(String name, int most) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                most,
                most,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                named(name),
                new ThreadPoolExecutor.DiscardPolicy());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
