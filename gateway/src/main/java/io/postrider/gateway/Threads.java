package io.postrider.gateway;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads with names, that do not keep a JVM alive. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setContextClassLoader(
                    Threads.class.getClassLoader()); // not that of the request that wanted it first
            return thread;
        };
    }

    /** So many at most, none while there is nothing to do. What comes when it is closed is dropped: so is what it was for. */
    static ExecutorService pool(String name, int most) {
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
