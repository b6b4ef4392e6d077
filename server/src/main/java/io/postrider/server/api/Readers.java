package io.postrider.server.api;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * So many read at once, eight times as many wait for a moment, and whoever comes then is told to come again. Whoever waits holds
 * one of the 200 threads that answer requests: without a bound those who read would keep out those who write. Safe to share.
 */
public final class Readers {
    private static final int WAITING = 8;
    private static final int WAIT_MILLIS = 2_000;

    private final Semaphore places;
    private final Semaphore reading;

    /** So many at once. */
    public Readers(int most) {
        this.places = new Semaphore(most + most * WAITING);
        this.reading = new Semaphore(most, true);
    }

    /** The same route for one who has a place among the readers. */
    Route admit(Route route) {
        return route.with(call -> answer(route, call));
    }

    private Answer answer(Route route, Call call) throws Exception {
        if (!places.tryAcquire()) {
            throw full();
        }
        try {
            if (!reading.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
                throw full();
            }
            try {
                return route.handler().answer(call);
            } finally {
                reading.release();
            }
        } finally {
            places.release();
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
