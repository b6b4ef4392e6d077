package io.postrider.proof;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Records what one listener handles, on however many nodes it runs. Threads may share it. */
public final class ListenerRecorder {
    private final String name;
    private final String topic;
    private final LongSupplier clock;
    private final AtomicInteger lastAttempt = new AtomicInteger();
    private final Readings.Collector handled = new Readings.Collector();
    private final Readings.Collector effects = new Readings.Collector();
    private volatile long startAfter;
    private volatile boolean transactional;
    private volatile boolean finished;

    ListenerRecorder(String name, String topic, LongSupplier clock) {
        this.name = name;
        this.topic = topic;
        this.clock = clock;
    }

    /** It did not begin at the beginning. */
    public ListenerRecorder startsAfter(long position) {
        startAfter = position;
        return this;
    }

    /** Its effects happen exactly once, and will be told by {@link #effect}; without one, it had none. */
    public ListenerRecorder transactional() {
        transactional = true;
        return this;
    }

    /**
     * A node begins, or begins again, to handle events from the cursor on: after a failure, a restart, a take-over.
     * Only with a new attempt may positions come again.
     */
    public Attempt attempt() {
        return new Attempt(lastAttempt.incrementAndGet());
    }

    /** A row of the effects table, told in the order of writing. */
    public ListenerRecorder effect(long position, UUID event) {
        transactional = true;
        effects.add(position, event);
        return this;
    }

    /** The run waited for it to reach the head, and it said that it had. */
    public void finished() {
        finished = true;
    }

    Listening listening() {
        return new Listening(
                new Listening.Reader(name, topic, startAfter),
                finished,
                handled.collected(),
                transactional ? Optional.of(effects.collected()) : Optional.empty());
    }

    /** One node's uninterrupted way through the positions. */
    public final class Attempt {
        private final int number;

        private Attempt(int number) {
            this.number = number;
        }

        /** The handler is called with an event; told first thing, for a handler may not live to its end. */
        public void handled(long position, UUID event) {
            handled.add(position, event, number, clock.getAsLong());
        }
    }
}
