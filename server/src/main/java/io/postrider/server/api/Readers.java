package io.postrider.server.api;

import io.postrider.PostriderException;
import io.postrider.gateway.Identity;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * So many read at once, eight times as many wait for a moment, and whoever comes then is told to come again. Whoever waits holds
 * one of the 200 threads that answer requests: without a bound those who read would keep out those who write. One project, or one
 * subject without a project, has half at most, of those who read and of those who wait: it cannot keep out the others. Safe to
 * share.
 */
public final class Readers {
    private static final int WAITING = 8;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int most;
    private final int places;
    private final Semaphore reading;

    // Under the lock of this.
    private final Map<String, Share> shares = new HashMap<>();
    private int taken;

    /** So many at once. */
    public Readers(int most) {
        this.most = most;
        this.places = most + most * WAITING;
        this.reading = new Semaphore(most, true);
    }

    /** What one caller has of it. */
    private static final class Share {
        final Semaphore reading;
        int taken;

        Share(int most) {
            this.reading = new Semaphore(most, true);
        }
    }

    /** The same route for one who has a place among the readers. */
    Route admit(Route route) {
        return route.with(call -> answer(route, call));
    }

    private Answer answer(Route route, Call call) throws Exception {
        String caller = nameOf(call.who());
        Share share = enter(caller);
        try {
            return read(share, route, call);
        } finally {
            leave(caller, share);
        }
    }

    static String nameOf(Identity who) {
        return who.project() == null ? "subject " + who.subject() : "project " + who.project();
    }

    private synchronized Share enter(String caller) {
        Share share = shares.getOrDefault(caller, new Share(half(most)));
        if (taken == places || share.taken == half(places)) {
            throw full();
        }
        taken++;
        share.taken++;
        shares.put(caller, share);
        return share;
    }

    private synchronized void leave(String caller, Share share) {
        taken--;
        if (--share.taken == 0) {
            shares.remove(caller);
        }
    }

    private static int half(int number) {
        return Math.max(1, number / 2);
    }

    /** Of its own share first: who waits for that holds up nobody else. */
    private Answer read(Share share, Route route, Call call) throws Exception {
        long until = System.nanoTime() + WAIT_NANOS;
        acquire(share.reading, until);
        try {
            acquire(reading, until);
            try {
                return route.handler().answer(call);
            } catch (PostriderException e) {
                throw Problem.ofRead(e);
            } finally {
                reading.release();
            }
        } finally {
            share.reading.release();
        }
    }

    private static void acquire(Semaphore semaphore, long until) throws InterruptedException {
        if (!semaphore.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw full();
        }
    }

    private static Problem full() {
        return Problem.of(
                        503,
                        "too many read at once",
                        "Try again after the time in Retry-After; ask for less, or let the operator raise"
                                + " postrider.api.readers.")
                .withHeader("Retry-After", "1");
    }
}
