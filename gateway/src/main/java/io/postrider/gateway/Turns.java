package io.postrider.gateway;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that does what it is told in the order in which it was told, what is due when it is due, and a round now and then. */
final class Turns {
    private static final Logger log = LoggerFactory.getLogger(Turns.class);

    private final LinkedBlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
    private final Duration every;
    private final Runnable round;
    private final Thread thread;
    private volatile boolean running = true;

    // The thread's own.
    private final PriorityQueue<Later> later = new PriorityQueue<>(Comparator.comparingLong(Later::at));
    private long nextRound = System.nanoTime();

    private record Later(long at, Runnable command) {}

    Turns(String name, Duration every, Runnable round) {
        this.every = every;
        this.round = round;
        this.thread = Threads.named(name).newThread(this::run);
    }

    void start() {
        thread.start();
    }

    /** By any thread. */
    void tell(Runnable command) {
        commands.add(command);
    }

    /** By the thread itself only. */
    void later(Duration after, Runnable command) {
        later.add(new Later(System.nanoTime() + after.toNanos(), command));
    }

    /** After the command that is under way; what was told and not done is dropped. */
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
                // without this thread nobody would ever hear anything again: whatever it is, the next command gets its
                // turn
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
