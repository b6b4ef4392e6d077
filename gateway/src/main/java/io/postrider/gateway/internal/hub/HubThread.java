package io.postrider.gateway.internal.hub;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A single thread that runs commands in order, delayed commands when they are due, and a task at a fixed interval. */
final class HubThread {
    private static final Logger log = LoggerFactory.getLogger(HubThread.class);

    private final LinkedBlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
    private final Duration every;
    private final Runnable round;
    private final Thread thread;
    private volatile boolean running = true;

    // Only used by the thread itself.
    private final PriorityQueue<Later> later = new PriorityQueue<>();
    private long nextRound = System.nanoTime();

    private record Later(long at, Runnable command) implements Comparable<Later> {
        /** By the difference: nanoTime may overflow between two of them, and the later one is then the smaller number. */
        @Override
        public int compareTo(Later other) {
            return Long.signum(at - other.at);
        }
    }

    HubThread(String name, Duration every, Runnable round) {
        this.every = every;
        this.round = round;
        this.thread = Threads.named(name).newThread(this::run);
    }

    void start() {
        thread.start();
    }

    /** May be called by any thread. */
    void tell(Runnable command) {
        commands.add(command);
    }

    /** May be called by the thread itself only. */
    void later(Duration after, Runnable command) {
        later.add(new Later(System.nanoTime() + after.toNanos(), command));
    }

    /** Stops after the current command; commands in the queue are dropped. */
    void stop() {
        running = false;
        thread.interrupt();
    }

    private void run() {
        while (running) {
            try {
                Runnable command = commands.poll(untilNext(), TimeUnit.NANOSECONDS);
                if (command != null) {
                    command.run();
                }
                runDue();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) {
                // Without this thread no event would be delivered any more, so it continues after any error.
                log.error("turn_failed thread={}", thread.getName(), e);
            }
        }
    }

    private long untilNext() {
        long now = System.nanoTime();
        long untilRound = nextRound - now;
        Later first = later.peek();
        return Math.max(0, first == null ? untilRound : Math.min(untilRound, first.at() - now));
    }

    private void runDue() {
        long now = System.nanoTime();
        while (!later.isEmpty() && later.element().at() - now <= 0) {
            later.remove().command().run();
        }
        if (nextRound - now <= 0) {
            nextRound = now + every.toNanos();
            round.run();
        }
    }
}
