package io.postrider.proof.record;

import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Readings;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Records what one listener handles, on any number of nodes. Threads may share it. */
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

    /** It did not start at the beginning of the topic. */
    public ListenerRecorder startsAfter(long position) {
        startAfter = position;
        return this;
    }

    /** Its effects happen exactly once and are reported by {@link #effect}; without such a call it had none. */
    public ListenerRecorder transactional() {
        transactional = true;
        return this;
    }

    /**
     * A node starts or restarts handling events at the cursor: after a failure, a restart or a takeover. Positions may repeat
     * only with a new attempt.
     */
    public Attempt attempt() {
        return new Attempt(lastAttempt.incrementAndGet());
    }

    /** A row of the effects table, reported in the order of writing. */
    public ListenerRecorder effect(long position, UUID event) {
        transactional = true;
        effects.add(position, event);
        return this;
    }

    /** The run waited for it to reach the head, and it reported that it had. */
    public void finished() {
        finished = true;
    }

    public ListenerHistory listening() {
        return new ListenerHistory(
                new ListenerHistory.Reader(name, topic, startAfter),
                finished,
                handled.collected(),
                transactional ? Optional.of(effects.collected()) : Optional.empty());
    }

    /** One node's uninterrupted run through the positions. */
    public final class Attempt {
        private final int number;

        private Attempt(int number) {
            this.number = number;
        }

        /** The handler is called with an event; recorded first, because the process may be killed before the handler ends. */
        public void handled(long position, UUID event) {
            handled.add(position, event, number, clock.getAsLong());
        }
    }
}
