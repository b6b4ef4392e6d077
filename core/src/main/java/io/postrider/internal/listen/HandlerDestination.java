package io.postrider.internal.listen;

import io.postrider.internal.listen.HandlingResult.Unavailable;
import java.time.Duration;

/** The handler of a relay without a sink. It says by an exception that the other side is unavailable. */
final class HandlerDestination implements Destination {
    private final Availability availability;

    HandlerDestination(Availability availability) {
        this.availability = availability;
    }

    @Override
    public void resumeAt(ListenerState state) {
        availability.resumeAt(state);
    }

    @Override
    public boolean isUnavailable() {
        return availability.isUnavailable();
    }

    @Override
    public Duration untilNextTry() {
        return availability.untilNextTry();
    }

    @Override
    public void unavailable(Unavailable result) {
        availability.unavailable(result);
    }

    @Override
    public void responded() {
        availability.responded();
    }
}
