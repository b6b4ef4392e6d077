package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests run at once. More of them wait for a moment, and further ones are refused: a waiting request holds one of
 * the 200 threads that answer requests. One project, or one subject without a project, has half at most, of those that run and of
 * those that wait, and one user of a project has half of that. Requests for the same key have an eighth of those that run and a
 * quarter of those that wait. So no caller blocks the others. Thread-safe.
 */
final class FairShares {
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int most;
    private final int places;
    private final Supplier<Problem> full;
    private final Semaphore running;

    // Guarded by this.
    private final Map<String, Share> shares = new HashMap<>();
    private int taken;

    /**
     * Runs at most this many requests at once.
     *
     * @param places maximum number of running and waiting requests together
     * @param full the answer if there is no free place
     */
    FairShares(int most, int places, Supplier<Problem> full) {
        this.most = most;
        this.places = places;
        this.full = full;
        this.running = new Semaphore(most, true);
    }

    /** The share of one project, subject, user or key. */
    private static final class Share {
        final String name;
        final int places;
        final Supplier<Problem> full;
        final Semaphore running;
        int taken;

        Share(String name, int most, int places, Supplier<Problem> full) {
            this.name = name;
            this.places = places;
            this.full = full;
            this.running = new Semaphore(most, true);
        }
    }

    /**
     * Identifies requests that may wait for the same lock.
     *
     * @param full the answer if too many other requests have the same key
     */
    record Key(String name, Supplier<Problem> full) {}

    /** Runs the work when every share has room for it; refuses it after two seconds. */
    <T> T run(Identity who, @Nullable Key key, Callable<T> work) throws Exception {
        List<Share> own = enter(who, key);
        try {
            return run(own, work);
        } finally {
            leave(own);
        }
    }

    static String nameOf(Identity who) {
        return who.project() == null ? "subject " + who.subject() : "project " + who.project();
    }

    /** The smallest share comes first: a request that waits for it blocks no other caller. */
    private synchronized List<Share> enter(Identity who, @Nullable Key key) {
        List<Share> own = new ArrayList<>();
        int runners = half(most);
        int waiters = half(places);
        if (key != null) {
            own.add(share("key " + key.name(), half(half(runners)), half(waiters), key.full()));
        }
        if (who.project() != null && who.reach() == Identity.Reach.USER) {
            own.add(share("user " + who.project() + " " + who.subject(), half(runners), half(waiters), full));
        }
        own.add(share(nameOf(who), runners, waiters, full));
        if (taken == places) {
            throw full.get();
        }
        for (Share share : own) {
            if (share.taken == share.places) {
                throw share.full.get();
            }
        }
        taken++;
        for (Share share : own) {
            share.taken++;
            shares.put(share.name, share);
        }
        return own;
    }

    private Share share(String name, int runners, int waiters, Supplier<Problem> refusal) {
        Share known = shares.get(name);
        return known == null ? new Share(name, runners, waiters, refusal) : known;
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

    private <T> T run(List<Share> own, Callable<T> work) throws Exception {
        List<Semaphore> held = new ArrayList<>();
        long until = System.nanoTime() + WAIT_NANOS;
        try {
            for (Share share : own) {
                acquire(share.running, until, share.full, held);
            }
            acquire(running, until, full, held);
            return work.call();
        } finally {
            held.forEach(Semaphore::release);
        }
    }

    private static void acquire(Semaphore semaphore, long until, Supplier<Problem> refusal, List<Semaphore> held)
            throws InterruptedException {
        if (!semaphore.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw refusal.get();
        }
        held.add(semaphore);
    }
}
