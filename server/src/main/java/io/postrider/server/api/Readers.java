package io.postrider.server.api;

import io.postrider.PostriderException;
import io.postrider.gateway.Identity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many requests read at once. Eight times as many wait for a moment, and further ones are answered 503. A waiting request
 * holds one of the 200 threads that answer requests: without a limit, reads would keep out writes. One project, or one subject
 * without a project, has half at most, of those who read and of those who wait, and one user of a project has half of that. So
 * nobody keeps out the others. Thread-safe.
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

    /** At most this many at once. */
    public Readers(int most) {
        this.most = most;
        this.places = most + most * WAITING;
        this.reading = new Semaphore(most, true);
    }

    /** The part of one project, subject or user. */
    private static final class Share {
        final String name;
        final int places;
        final Semaphore reading;
        int taken;

        Share(String name, int most, int places) {
            this.name = name;
            this.places = places;
            this.reading = new Semaphore(most, true);
        }
    }

    /** The same route for one who has a place among the readers. */
    Route admit(Route route) {
        return route.with(call -> answer(route, call));
    }

    private Answer answer(Route route, Call call) throws Exception {
        List<Share> own = enter(call.who());
        try {
            return read(own, route, call);
        } finally {
            leave(own);
        }
    }

    static String nameOf(Identity who) {
        return who.project() == null ? "subject " + who.subject() : "project " + who.project();
    }

    /** The smallest share comes first: who waits for that holds up nobody else. */
    private synchronized List<Share> enter(Identity who) {
        List<Share> own = new ArrayList<>();
        int readers = half(most);
        int waiters = half(places);
        if (who.project() == null) {
            own.add(share("subject " + who.subject(), readers, waiters));
        } else {
            if (who.reach() == Identity.Reach.USER) {
                own.add(share("user " + who.project() + " " + who.subject(), half(readers), half(waiters)));
            }
            own.add(share("project " + who.project(), readers, waiters));
        }
        if (taken == places || own.stream().anyMatch(share -> share.taken == share.places)) {
            throw full();
        }
        taken++;
        for (Share share : own) {
            share.taken++;
            shares.put(share.name, share);
        }
        return own;
    }

    private Share share(String name, int readers, int waiters) {
        Share known = shares.get(name);
        return known == null ? new Share(name, readers, waiters) : known;
    }

    private synchronized void leave(List<Share> own) {
        taken--;
        for (Share share : own) {
            if (--share.taken == 0) {
                shares.remove(share.name);
            }
        }
    }

    private static int half(int number) {
        return Math.max(1, number / 2);
    }

    private Answer read(List<Share> own, Route route, Call call) throws Exception {
        List<Semaphore> needed =
                new ArrayList<>(own.stream().map(share -> share.reading).toList());
        needed.add(reading);
        long until = System.nanoTime() + WAIT_NANOS;
        int held = 0;
        try {
            for (Semaphore semaphore : needed) {
                acquire(semaphore, until);
                held++;
            }
            return route.handler().answer(call);
        } catch (PostriderException e) {
            throw Problem.ofRead(e);
        } finally {
            needed.subList(0, held).forEach(Semaphore::release);
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
