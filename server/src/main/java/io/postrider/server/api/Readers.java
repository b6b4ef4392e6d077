package io.postrider.server.api;

import io.postrider.PostriderException;

/** Limits concurrent reads. Eight times as many wait for a moment, and further ones are answered 503. Thread-safe. */
public final class Readers {
    private static final int WAITING = 8;

    private final FairShares shares;

    /** Runs at most this many reads at once. */
    public Readers(int most) {
        this.shares = new FairShares(most, most + most * WAITING, Readers::full);
    }

    /** The same route, limited to callers that get a place among the readers. */
    Route admit(Route route) {
        return route.with(call -> shares.run(call.who(), null, () -> read(route, call)));
    }

    private static Answer read(Route route, Call call) throws Exception {
        try {
            return route.handler().answer(call);
        } catch (PostriderException e) {
            throw Problem.ofRead(e);
        }
    }

    private static Problem full() {
        return Problem.of(
                        503,
                        "too many concurrent reads",
                        "Try again after the time in Retry-After; ask for less, or let the operator raise"
                                + " postrider.api.readers.")
                .withHeader("Retry-After", "1");
    }
}
