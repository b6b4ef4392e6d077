package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests write at once, by {@link FairShares}. A write may wait for a lock of another transaction for two seconds, and
 * holds a connection meanwhile: without a limit, requests for one unique key would take all connections. Thread-safe.
 */
public final class Writers {
    private static final int WAITING = 8;

    /** The maximum number of the 160 threads for API requests that writes may hold. */
    private static final int MOST_PLACES = 144;

    private final FairShares shares;

    /** Runs at most this many writes at once. */
    public Writers(int most) {
        this.shares = new FairShares(most, Math.max(most, Math.min(most + most * WAITING, MOST_PLACES)), Writers::full);
    }

    /**
     * Writes when it is this caller's turn.
     *
     * @param key names what another transaction may have locked, such as a unique key; null: nothing in particular
     */
    <T> T write(Identity who, @Nullable String key, Callable<T> work) throws Exception {
        return shares.run(who, key == null ? null : new FairShares.Key(key, Writers::keyIsBusy), work);
    }

    /** The same route, with only a few concurrent requests for the same address. */
    Route admit(Route route) {
        return route.with(call -> write(
                call.who(),
                "address " + route.path() + " " + call.path(),
                () -> route.handler().answer(call)));
    }

    private static Problem full() {
        return Problem.of(
                        503,
                        "too many concurrent writes",
                        "Try again after the time in Retry-After; send several events in one request, or let the"
                                + " operator raise postrider.api.writers.")
                .withHeader("Retry-After", "1");
    }

    private static Problem keyIsBusy() {
        return Problem.of(
                        503,
                        "too many requests wait for the same unique key, job, queue or listener",
                        "Try again after the time in Retry-After; do not send the same request several times at once.")
                .withHeader("Retry-After", "2");
    }
}
